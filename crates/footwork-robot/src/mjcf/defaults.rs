//! Default classes: values of attributes that elements of a class inherit.

use super::element::Element;
use crate::error::RobotError;
use std::collections::BTreeMap;

/// Name of the class that applies everywhere.
const MAIN: &str = "main";

/// Values of a class: by element name and attribute.
type Values = BTreeMap<(String, String), String>;

/// The classes of a model, each with the values that it inherits.
pub struct Defaults(BTreeMap<String, Values>);

impl Defaults {
    /// Reads all `default` elements below the root.
    pub fn new(root: &Element) -> Result<Self, RobotError> {
        let mut all = Self(BTreeMap::from([(MAIN.to_owned(), Values::new())]));
        for element in root.children.iter().filter(|e| e.name == "default") {
            let class = element.get("class").unwrap_or(MAIN);
            all.add(element, class, MAIN)?;
        }
        Ok(all)
    }

    fn add(&mut self, element: &Element, class: &str, parent: &str) -> Result<(), RobotError> {
        let mut values = self.0.get(class).or(self.0.get(parent)).cloned().unwrap_or_default();
        for child in element.children.iter().filter(|c| c.name != "default") {
            for (key, value) in &child.attributes {
                values.insert((child.name.clone(), key.clone()), value.clone());
            }
        }
        self.0.insert(class.to_owned(), values);
        for child in element.children.iter().filter(|c| c.name == "default") {
            let Some(name) = child.get("class") else {
                return Err(child.error("`default`: expected an attribute `class`, found none; name the class"));
            };
            self.add(child, name, class)?;
        }
        Ok(())
    }

    /// Returns an attribute: as written, else that of its class. `class`: the class of its body, for elements without one.
    pub fn get<'a>(
        &'a self,
        element: &'a Element,
        class: Option<&str>,
        key: &str,
    ) -> Result<Option<&'a str>, RobotError> {
        if let Some(value) = element.get(key) {
            return Ok(Some(value));
        }
        let class = element.get("class").or(class).unwrap_or(MAIN);
        let Some(values) = self.0.get(class) else {
            let known = self.0.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(element.error(format!(
                "`{}`: expected a default class of the model ({known}), found `{class}`; define it or correct the name",
                element.name
            )));
        };
        Ok(values.get(&(element.name.clone(), key.to_owned())).map(String::as_str))
    }
}
