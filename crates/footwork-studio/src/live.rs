//! Connected games, and the character that is followed.

use footwork_panels::Session;
use footwork_stream::{Event, GameId, Hello, Listener};

/// Maximum number of events per frame, so that the window responds when games send continuously.
const MOST_EVENTS: usize = 256;

/// Listener and connected games.
#[derive(Debug)]
pub(crate) struct Live {
    listener: Listener,
    games: Vec<(GameId, Hello)>,
    followed: Option<Followed>,
    /// True to follow the first fitting character automatically. False once the user has stopped it.
    by_itself: bool,
    /// Content hash of the open database.
    database: Option<u128>,
    /// True once a character that does not fit was reported.
    told: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Followed {
    game: GameId,
    character: String,
    /// True once the recording has started.
    begun: bool,
}

impl Live {
    pub fn new(listener: Listener) -> Self {
        Self { listener, games: Vec::new(), followed: None, by_itself: true, database: None, told: false }
    }

    /// Handles new events. Returns a message for the user.
    pub fn poll(&mut self, session: &mut Session) -> Option<String> {
        let mut said = None;
        let here = session.database().content_hash();
        if self.database.replace(here) != Some(here) {
            self.stop();
            (self.by_itself, self.told) = (true, false);
        } else if self.followed.as_ref().is_some_and(|f| f.begun) && session.following().is_none() {
            // The user has taken over the character or opened another recording.
            self.stop();
            self.by_itself = false;
        }
        for _ in 0..MOST_EVENTS {
            let Some(event) = self.listener.poll() else { break };
            said = self.take(event, session).or(said);
        }
        if self.by_itself && self.followed.is_none() && session.is_live() {
            said = self.choose(session).or(said);
        }
        said
    }

    fn take(&mut self, event: Event, session: &mut Session) -> Option<String> {
        match event {
            Event::Game(id, hello) => {
                self.told = false;
                match self.games.iter_mut().find(|(known, _)| *known == id) {
                    Some((_, known)) => *known = hello,
                    None => {
                        self.games.push((id, hello));
                        self.by_itself = true;
                    }
                }
            }
            Event::Piece(id, piece) => {
                let name = self.name(self.followed.as_ref().filter(|f| f.game == id)?);
                match session.receive(&name, &piece) {
                    Ok(()) => self.followed.iter_mut().for_each(|f| f.begun |= piece.begins()),
                    Err(what) => {
                        self.stop();
                        self.by_itself = false;
                        return Some(format!("{name}: {what}"));
                    }
                }
            }
            Event::Ended(id) => {
                self.games.retain(|(known, _)| *known != id);
                if self.followed.take_if(|f| f.game == id).is_some() {
                    session.end_following();
                }
            }
            Event::Refused(why) => return Some(why),
            _ => {}
        }
        None
    }

    /// Follows the first character that fits the session. Returns the reason if none does.
    fn choose(&mut self, session: &Session) -> Option<String> {
        let all = self.games.iter().flat_map(|(id, hello)| hello.characters.iter().map(move |c| (*id, c)));
        let mut refused = None;
        for (id, character) in all {
            match session.fits(character.data) {
                Ok(()) => {
                    let name = character.name.clone();
                    self.follow(id, &name);
                    return None;
                }
                Err(what) => refused = refused.or(Some(format!("`{}` of a game: {what}", character.name))),
            }
        }
        refused.filter(|_| !std::mem::replace(&mut self.told, true))
    }

    fn follow(&mut self, game: GameId, character: &str) {
        self.listener.follow(game, Some(character));
        self.followed = Some(Followed { game, character: character.to_owned(), begun: false });
    }

    /// Stops following.
    fn stop(&mut self) {
        if let Some(followed) = self.followed.take() {
            self.listener.follow(followed.game, None);
        }
    }

    fn name(&self, followed: &Followed) -> String {
        let game = self.games.iter().find(|(id, _)| *id == followed.game).map_or("game", |(_, hello)| &hello.game);
        format!("{} of {game}", followed.character)
    }

    /// Draws the address, the connected games and the followed character.
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        egui::Panel::top("live").show_inside(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(format!("ws://{}", self.listener.address()));
                ui.separator();
                if self.games.is_empty() {
                    ui.weak("no game is connected");
                } else {
                    self.characters(ui, session);
                }
                let Some(following) = session.following() else { return };
                ui.separator();
                let state = if following.ended { ", which has ended" } else { "" };
                ui.label(format!("recording of {}{state}", following.name));
                if following.waiting > 0 {
                    ui.label(format!("{} updates wait", following.waiting));
                }
                if following.lost > 0 {
                    let lost = format!("{} updates left out", following.lost);
                    let why = "The game had more than could be sent. The recording goes on after the gap.";
                    ui.colored_label(ui.visuals().warn_fg_color, lost).on_hover_text(why);
                }
            });
        });
    }

    fn characters(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        let before = self.followed.as_ref().map(|f| (f.game, f.character.clone()));
        let mut now = before.clone();
        let words = self.followed.as_ref().map_or("nothing".to_owned(), |f| self.name(f));
        ui.label("shows");
        egui::ComboBox::from_id_salt("character of a game").selected_text(words).show_ui(ui, |ui| {
            ui.selectable_value(&mut now, None, "nothing");
            for (id, hello) in &self.games {
                for character in &hello.characters {
                    let words = format!("{} of {}", character.name, hello.game);
                    ui.selectable_value(&mut now, Some((*id, character.name.clone())), words);
                }
            }
        });
        if now == before {
            return;
        }
        self.stop();
        match now {
            Some((game, character)) => self.follow(game, &character),
            None => {
                self.by_itself = false;
                session.end_following();
            }
        }
    }
}
