//! Mouse and keyboard: the browser's own events rather than those of a script.

use serde_json::{Value, json};
use tests::browser::Browser;

use super::form::Hand;
use super::page::{PAUSE, Place, ask};

/// The maximum number of Tab stops on a page.
const MOST_STOPS: usize = 250;
/// Scrolls the middle of an element into view; returns its position, and whether a click there hits
/// the element.
const AIM: &str = "function() {
  this.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
  const box = this.getClientRects()[0];
  if (!box) return null;
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  return [x, y, !!hit && (this.contains(hit) || !!hit.closest('label')?.contains(this)), hit?.outerHTML.slice(0, 100)];
}";
/// Stores the element that the Tab key should reach.
const GOAL: &str = "function() { document.goal = this; }";
/// Returns the focused element, which must always be visible.
const FOCUS: &str = "(() => {
  const [at, goal] = [document.activeElement, document.goal];
  if (!goal?.isConnected) return 'gone';
  if (!at || at === document.body || at.id === 'main') return 'nowhere';
  const [style, box] = [getComputedStyle(at), at.getBoundingClientRect()];
  const isOutlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  const isInside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const isThere = at === goal || (goal.type === 'radio' && at.name === goal.name && at.form === goal.form);
  if (!isOutlined || !isInside) return `not seen: ${at.outerHTML.slice(0, 120)}`;
  return isThere ? 'there' : 'elsewhere';
})()";
/// Chooses an option as a pointer does: a headless browser has no open list to point at.
const CHOICE: &str = "function() {
  const wanted = [...this.options].find(option => option.text === TEXT);
  if (!wanted) return [...this.options].map(option => option.text).join(', ');
  this.value = wanted.value;
  for (const kind of ['input', 'change']) this.dispatchEvent(new Event(kind, {bubbles: true}));
  return '';
}";

/// Returns the chosen option of a list.
const CHOSEN: &str = "function() { return this.selectedOptions[0]?.text; }";
/// The maximum number of options in a list.
const MOST_CHOICES: usize = 60;

async fn send(b: &Browser, command: &str, arguments: Value) -> Result<(), String> {
    let sent = b.driver.cdp().send_raw(command, arguments).await;
    sent.map(drop).map_err(|error| error.to_string())
}

async fn key(b: &Browser, name: &str, code: u32, text: &str) -> Result<(), String> {
    let kind = if text.is_empty() {
        "rawKeyDown"
    } else {
        "keyDown"
    };
    let mut event = json!({"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code});
    if !text.is_empty() {
        event["text"] = json!(text);
    }
    send(b, "Input.dispatchKeyEvent", event.clone()).await?;
    event["type"] = json!("keyUp");
    send(b, "Input.dispatchKeyEvent", event).await
}

async fn click(b: &Browser, place: Place) -> Result<(), String> {
    let aim = place.call(b, AIM).await.unwrap_or_default();
    if aim[2] != json!(true) {
        return Err(format!("something is in front of it: {}", aim[3]));
    }
    for kind in ["mousePressed", "mouseReleased"] {
        let event =
            json!({"type": kind, "x": aim[0], "y": aim[1], "button": "left", "clickCount": 1});
        send(b, "Input.dispatchMouseEvent", event).await?;
    }
    Ok(())
}

/// Returns the focused element. On a new page it takes a moment to be visible.
async fn focus(b: &Browser) -> String {
    let mut is = String::new();
    for _ in 0..20 {
        let told = ask(b, FOCUS).await.unwrap_or_default();
        is = told.as_str().unwrap_or("lost").to_owned();
        if !is.starts_with("not seen") {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    is
}

/// Presses Tab until the element has the focus; at each stop before, the focus is visible.
async fn tab_to(b: &Browser, place: Place) -> Result<(), String> {
    place.call(b, GOAL).await;
    for _ in 0..MOST_STOPS {
        match focus(b).await.as_str() {
            "there" => return Ok(()),
            "nowhere" | "elsewhere" => {}
            other => return Err(format!("the focus is {other}")),
        }
        key(b, "Tab", 9, "").await?;
    }
    Err("the Tab key does not lead there".into())
}

impl Hand {
    /// Follows a link, presses a button, or unfolds a section.
    pub(super) async fn act(
        self,
        b: &Browser,
        place: Place,
        is_button: bool,
    ) -> Result<(), String> {
        match self {
            Self::Mouse => click(b, place).await,
            Self::Keyboard => {
                tab_to(b, place).await?;
                if is_button {
                    key(b, " ", 32, " ").await
                } else {
                    key(b, "Enter", 13, "\r").await
                }
            }
        }
    }

    /// Replaces the content of a field by typing.
    pub(super) async fn fill(self, b: &Browser, place: Place, text: &str) -> Result<(), String> {
        match self {
            Self::Mouse => click(b, place).await?,
            Self::Keyboard => tab_to(b, place).await?,
        }
        let all = json!({"type": "rawKeyDown", "key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65, "modifiers": 2, "commands": ["selectAll"]});
        send(b, "Input.dispatchKeyEvent", all).await?;
        send(b, "Input.insertText", json!({"text": text})).await?;
        let now = place.call(b, "function() { return this.value; }").await;
        let now = now.unwrap_or_default();
        (now == json!(text))
            .then_some(())
            .ok_or_else(|| format!("it holds {now}"))
    }

    /// Ticks a checkbox, or selects a radio button: with the keyboard, by arrows.
    pub(super) async fn tick(
        self,
        b: &Browser,
        place: Place,
        is_radio: bool,
    ) -> Result<(), String> {
        let is_checked = async || {
            let checked = place.call(b, "function() { return this.checked; }").await;
            checked == Some(json!(true))
        };
        match (self, is_radio) {
            (Self::Mouse, _) => click(b, place).await?,
            (Self::Keyboard, false) => {
                tab_to(b, place).await?;
                key(b, " ", 32, " ").await?;
            }
            (Self::Keyboard, true) => {
                tab_to(b, place).await?;
                for _ in 0..10 {
                    if is_checked().await {
                        break;
                    }
                    key(b, "ArrowDown", 40, "").await?;
                }
            }
        }
        is_checked()
            .await
            .then_some(())
            .ok_or_else(|| "it is not chosen".into())
    }

    /// Chooses from a list: with the keyboard, by typing the beginning of the option.
    pub(super) async fn choose(self, b: &Browser, place: Place, text: &str) -> Result<(), String> {
        if self == Self::Mouse {
            let choice = CHOICE.replace("TEXT", &json!(text).to_string());
            let others = place.call(b, &choice).await;
            // With scripts the page may have been left already.
            return match others.as_ref().and_then(Value::as_str) {
                None | Some("") => Ok(()),
                Some(others) => Err(format!("there are only {others}")),
            };
        }
        tab_to(b, place).await?;
        for letter in text.chars() {
            let letter = letter.to_string();
            let event = json!({"type": "keyDown", "key": letter, "text": letter});
            send(b, "Input.dispatchKeyEvent", event).await?;
            let event = json!({"type": "keyUp", "key": letter});
            send(b, "Input.dispatchKeyEvent", event).await?;
        }
        // A browser forgets the letters of slow typing: then the arrows choose the option.
        let mut chosen = place.call(b, CHOSEN).await.unwrap_or_default();
        if chosen != json!(text) {
            key(b, "Home", 36, "").await?;
            for _ in 0..MOST_CHOICES {
                chosen = place.call(b, CHOSEN).await.unwrap_or_default();
                if chosen == json!(text) {
                    break;
                }
                key(b, "ArrowDown", 40, "").await?;
            }
        }
        (chosen == json!(text))
            .then_some(())
            .ok_or_else(|| format!("{chosen} is chosen"))
    }
}
