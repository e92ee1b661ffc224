//! A JSON message of 1 KiB with four variables, parsed before, escaped as JSON requires.

use std::hint::black_box;

use handlebars::Handlebars;
use minijinja::Environment;
use serde_json::json;
use webhook_model::{Template, Values};

use crate::table::Contender;

const NAME: &str = "virtual machine 1";
const DATE: &str = "Thu, 16 Oct 2025 11:38:07 EDT";
const AT: i64 = 1_760_629_087;
const RANDOM: u64 = 1_234_567_890;

pub(crate) fn contenders() -> Vec<Contender> {
    vec![ours(), handlebars(), minijinja()]
}

/// Returns the message, with each variable in the template's language.
fn message(variable: impl Fn(&str) -> String) -> String {
    let [name, date, at, random] = ["NAME", "DATE", "TIMESTAMP", "RANDOM"].map(variable);
    let filler = "x".repeat(900);
    format!(r#"{{"name":"{name}","date":"{date}","at":{at},"n":{random},"filler":"{filler}"}}"#)
}

fn ours() -> Contender {
    let text = message(|name| format!("${{{name}}}"));
    let template = Template::parse(&text.parse().unwrap());
    Contender {
        package: "webhook-model",
        does: "JSON escaping",
        call: Box::new(move || {
            let values = Values::new(black_box(DATE), AT, NAME);
            template.render(&values, || RANDOM as u32).unwrap().len()
        }),
    }
}

fn handlebars() -> Contender {
    let mut registry = Handlebars::new();
    registry.register_escape_fn(json_escaped);
    let text = message(|name| format!("{{{{{name}}}}}"));
    registry.register_template_string("m", text).unwrap();
    Contender {
        package: "handlebars",
        does: "JSON escaping by a function of ours, values as JSON",
        call: Box::new(move || registry.render("m", &values()).unwrap().len()),
    }
}

fn minijinja() -> Contender {
    let mut environment = Environment::new();
    environment.set_formatter(|out, _, value| {
        // Its own form of JSON puts quotes around a text, which the template has.
        let written = match value.as_str() {
            Some(text) => out.write_str(&json_escaped(text)),
            None => write!(out, "{value}"),
        };
        written.map_err(minijinja::Error::from)
    });
    let text = message(|name| format!("{{{{ {name} }}}}"));
    environment.add_template_owned("m", text).unwrap();
    Contender {
        package: "minijinja",
        does: "JSON escaping by a function of ours",
        call: Box::new(move || {
            let values = minijinja::context! {
                NAME => black_box(NAME), DATE => DATE, TIMESTAMP => AT, RANDOM => RANDOM,
            };
            let template = environment.get_template("m").unwrap();
            template.render(values).unwrap().len()
        }),
    }
}

fn values() -> serde_json::Value {
    json!({"NAME": black_box(NAME), "DATE": DATE, "TIMESTAMP": AT, "RANDOM": RANDOM})
}

/// As serde_json writes it, without the quotes.
fn json_escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}
