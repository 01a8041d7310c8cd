//! Attributes of an element: own values, those of its default class, and their conversion to numbers.

use super::defaults::Defaults;
use super::element::Element;
use crate::error::RobotError;
use glam::DVec3;

/// Unit of angles, and sequence of Euler angles.
pub struct Angles {
    /// Factor from angles in the file to radians.
    pub to_rad: f64,
    /// Axes of Euler angles, in order; capital letters are axes of the parent.
    pub euler: [char; 3],
}

/// Settings that apply to the whole model.
pub struct Settings {
    pub defaults: Defaults,
    pub angles: Angles,
    /// True: a joint with a range is limited, unless it says otherwise.
    pub auto_limits: bool,
}

/// An element with the class of its body.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    pub element: &'a Element,
    pub class: Option<&'a str>,
    pub settings: &'a Settings,
}

impl<'a> Attributes<'a> {
    /// Returns an attribute as text.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, RobotError> {
        self.settings.defaults.get(self.element, self.class, key)
    }

    /// Returns all numbers of an attribute. Their count is `least..=most`.
    pub fn numbers(&self, key: &str, least: usize, most: usize) -> Result<Option<Vec<f64>>, RobotError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        let words = text.split_whitespace().count();
        if numbers.len() != words || !(least..=most).contains(&words) || !numbers.iter().all(|n| n.is_finite()) {
            let count = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            return Err(self.error(key, &format!("{count} finite numbers"), text));
        }
        Ok(Some(numbers))
    }

    /// Returns a number.
    pub fn number(&self, key: &str) -> Result<Option<f64>, RobotError> {
        Ok(self.numbers(key, 1, 1)?.map(|n| n[0]))
    }

    /// Returns a vector.
    pub fn vector(&self, key: &str) -> Result<Option<DVec3>, RobotError> {
        Ok(self.numbers(key, 3, 3)?.map(|n| DVec3::new(n[0], n[1], n[2])))
    }

    /// Returns an error about an attribute.
    pub fn error(&self, key: &str, expected: &str, found: &str) -> RobotError {
        let of = self.element.get("name").map(|n| format!(" `{n}`")).unwrap_or_default();
        self.element.error(format!(
            "`{}`{of}: `{key}`: expected {expected}, found `{found}`; correct the attribute",
            self.element.name
        ))
    }
}
