//! Tests of `settings`.

use super::*;

crate::choices! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Hold = Firm {
        /// Not at all loose.
        Firm = "firm",
        /// Loose.
        Loose = "loose",
    }
}

crate::settings! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct Inner {
        /// Switch.
        enabled: bool = false;
        /// First line
        /// and second.
        ///
        /// Next paragraph.
        half_life_s: f32 = 0.1, in 0.01 to 10.0, unit "s", formerly "half_life";
        /// How.
        hold: Hold;
    }

    #[derive(Clone, Debug, PartialEq)]
    pub entry Named {
        /// Name.
        name: String;
        /// Weight.
        weight: f32 = 1.0, in 0.0 to 2.0;
    }

    #[derive(Clone, Debug, PartialEq)]
    pub struct Outer {
        /// Inner.
        inner: Inner = Inner { half_life_s: 0.5, ..Inner::default() };
        /// Costs.
        costs: BTreeMap<String, f32>, in 0.0 to 1.0;
        /// Names.
        names: Vec<Named>;
        /// Maybe.
        rate: Option<f32>, in 1.0 to 2.0;
        /// Corners.
        corner: [f32; 2];
        /// Looping.
        looping: usize = 2, in 1 to 3, key "loop", brief true;
    }
}

fn read(json: &str) -> Result<Outer, String> {
    serde_json::from_str(json).map_err(|e: serde_json::Error| e.to_string())
}

#[test]
fn a_table_written_in_part_keeps_what_the_table_around_it_has_by_default() {
    let outer = read(r#"{"inner": {"hold": "loose"}}"#).unwrap();
    assert_eq!((outer.inner.half_life_s, outer.inner.hold), (0.5, Hold::Loose));
    assert_eq!(read("{}").unwrap(), Outer::default());
}

#[test]
fn a_stage_is_on_where_its_table_is_written_and_does_not_say_otherwise() {
    assert!(!read("{}").unwrap().inner.enabled);
    assert!(read(r#"{"inner": {}}"#).unwrap().inner.enabled);
    assert!(!read(r#"{"inner": {"enabled": false}}"#).unwrap().inner.enabled);
}

#[test]
fn errors_name_the_whole_key_and_what_may_be_there() {
    for (json, told) in [
        (r#"{"inner": {"half_live_s": 1}}"#, "unknown key `inner.half_live_s`; did you mean `half_life_s`?"),
        (r#"{"qqqqq": 1}"#, "unknown key `qqqqq`; known here: `inner`, `costs`, `names`, `rate`, `corner` and `loop`"),
        (r#"{"inner": {"half_life_s": 11}}"#, "`inner.half_life_s`: expected 0.01 to 10, found 11"),
        (r#"{"inner": {"half_life": 1}}"#, "unknown key `inner.half_life`; its name is now `half_life_s`"),
        (r#"{"inner": {"half_life_s": 1, "half_life_s": 1}}"#, "`inner.half_life_s`: given twice; remove one"),
        (
            r#"{"inner": {"hold": "lose"}}"#,
            "`inner.hold`: expected `firm` or `loose`, found `lose`; did you mean `loose`?",
        ),
        (r#"{"inner": {"hold": "off"}}"#, "found `off`; to switch a stage off, set `enabled = false` in its table"),
        (r#"{"costs": {"left foot": 2}}"#, "`costs.\"left foot\"`: expected 0 to 1, found 2"),
        (r#"{"names": [{"name": "a"}, {"weight": 1}]}"#, "`names[1].name`: missing; it must be given"),
        (r#"{"names": [{"name": "a", "weight": 3}]}"#, "`names[0].weight`: expected 0 to 2, found 3"),
        (r#"{"rate": 0.5}"#, "`rate`: expected 1 to 2, found 0.5"),
        (r#"{"rate": "x"}"#, "`rate`: invalid type"),
        (r#"{"corner": [1]}"#, "`corner`: expected 2 values, found 1"),
        (r#"{"loop": 4}"#, "`loop`: expected 1 to 3, found 4"),
    ] {
        let message = read(json).unwrap_err();
        assert!(message.contains(told), "{json}: {message}");
    }
}

#[test]
fn what_a_program_sets_is_checked_as_what_a_file_sets() {
    let named = |weight| Named { name: "a".into(), weight };
    let good = Outer { names: vec![named(1.0)], rate: Some(1.5), ..Outer::default() };
    assert_eq!(check(&good), Ok(()));
    let inner = |half_life_s| Inner { half_life_s, ..Inner::default() };
    for (bad, key) in [
        (Outer { inner: inner(f32::NAN), ..good.clone() }, "inner.half_life_s"),
        (Outer { inner: inner(0.009), ..good.clone() }, "inner.half_life_s"),
        (Outer { costs: [("a".to_owned(), -0.1)].into_iter().collect(), ..good.clone() }, "costs.a"),
        (Outer { names: vec![named(1.0), named(f32::INFINITY)], ..good.clone() }, "names[1].weight"),
        (Outer { rate: Some(3.0), ..good.clone() }, "rate"),
        (Outer { corner: [0.0, f32::NAN], ..good.clone() }, "corner[1]"),
        (Outer { looping: 0, ..good.clone() }, "loop"),
    ] {
        assert_eq!(check(&bad).unwrap_err().key, key);
    }
}

#[test]
fn what_is_written_is_read_again() {
    assert_eq!(
        Field::json(&Outer::default()),
        r#"{"inner":{"enabled":false,"half_life_s":0.5,"hold":"firm"},"costs":{},"names":[],"corner":[0.0,0.0]}"#
    );
    let all = Outer { looping: 3, rate: Some(2.0), ..Outer::default() };
    assert_eq!(read(&Field::json(&all)).unwrap(), all);
}

#[test]
fn descriptors_tell_what_the_source_says() {
    let field = &Inner::FIELDS[1];
    assert_eq!(field.help(), ["First line and second.", "Next paragraph."]);
    assert_eq!((field.key, field.unit, field.range), ("half_life_s", "s", Some((0.01, 10.0))));
    assert_eq!((field.default)(), "0.1");
    assert!(Named::FIELDS[0].required && !Named::FIELDS[1].required);
    assert!(matches!(Inner::FIELDS[2].kind, Kind::Choice([Choice { name: "firm", .. }, _])));
}
