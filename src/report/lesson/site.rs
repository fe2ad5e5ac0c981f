//! All built-in lessons as files beside each other, and the index that leads to them.

use super::{Lesson, LessonGroup};
use crate::base::shown::{Shown, sentence};
use crate::report::render::document::{Block, Document, Front, PageLink};
use crate::report::{Form, Output, Report, emit};
use std::io;

/// The name of the index without its ending.
const INDEX: &str = "index";

/// A lesson in a file of its own.
struct SiteLesson {
    /// Its name, which is that of its file.
    name: &'static str,
    /// For whom it is.
    group: LessonGroup,
    /// The lesson.
    lesson: Lesson,
}

/// Lessons as files of one form.
pub struct Site {
    /// The lessons, in the order in which they teach.
    lessons: Vec<SiteLesson>,
    /// The form of the files.
    form: Form,
    /// The address of the explorer in a page, where lessons are played; `None` if there is none.
    page: Option<Shown>,
}

impl Site {
    /// Returns a site without lessons. `page` is the address of the explorer in a page, where they are played.
    pub const fn new(form: Form, page: Option<Shown>) -> Self {
        Self {
            lessons: Vec::new(),
            form,
            page,
        }
    }

    /// Adds a lesson behind the others.
    pub fn add(&mut self, name: &'static str, group: LessonGroup, lesson: Lesson) {
        self.lessons.push(SiteLesson {
            name,
            group,
            lesson,
        });
    }

    /// Returns how many lessons there are.
    pub const fn count(&self) -> usize {
        self.lessons.len()
    }

    /// Returns the file of the lesson with this place, from 0; that of the index behind the last one.
    pub fn file_of(&self, place: usize) -> Shown {
        match self.lessons.get(place) {
            Some(found) => self.file(found.name),
            None => self.index_file(),
        }
    }

    /// Returns the file of a name.
    fn file(&self, name: &str) -> Shown {
        let ending = self.form.ending();
        sentence!("{name}.{ending}")
    }

    /// Returns the file of the index.
    pub fn index_file(&self) -> Shown {
        self.file(INDEX)
    }

    /// Returns the lesson with this place, from 0.
    pub fn lesson(&self, place: usize) -> Option<&Lesson> {
        let found = self.lessons.get(place)?;
        Some(&found.lesson)
    }

    /// Returns the links of the lesson with this place: to the lesson before, to the index, to the next lesson, and to where
    /// it is played.
    pub(crate) fn links(&self, place: usize) -> Vec<PageLink> {
        let mut links = Vec::new();
        if let Some(before) = place.checked_sub(1) {
            links.extend(self.link("Previous", before));
        }
        links.push(PageLink {
            file: self.index_file(),
            text: "All lessons".into(),
        });
        links.extend(self.link("Next", place + 1));
        if let Some(found) = self.lessons.get(place) {
            links.extend(self.played(found.name, "Play this lesson in the browser"));
        }
        links
    }

    /// Returns the link to where the lesson of a name is played; `None` if that is nowhere.
    fn played(&self, name: &str, words: &'static str) -> Option<PageLink> {
        let page = self.page.as_ref()?;
        Some(PageLink {
            file: sentence!("{page}#lesson={name}"),
            text: words.into(),
        })
    }

    /// Returns the link to the lesson with this place; `None` if there is none.
    fn link(&self, word: &str, place: usize) -> Option<PageLink> {
        let found = self.lessons.get(place)?;
        Some(PageLink {
            file: self.file(found.name),
            text: sentence!("{word}: {}", found.lesson.title),
        })
    }

    /// Writes the index.
    pub fn write_index(&self, out: &mut Output<'_>) -> io::Result<()> {
        emit(out, self, self.form)
    }
}

impl Report for Site {
    fn front(&self) -> Front {
        Front {
            title: "Lessons about fairshare".into(),
            source: Shown::default(),
            facts: Vec::new(),
            links: Vec::new(),
        }
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        for &group in LessonGroup::ALL {
            let mut is_first = true;
            for own in &self.lessons {
                if own.group != group {
                    continue;
                }
                if is_first {
                    document.heading(group.help());
                    document.gap_in_markdown();
                    is_first = false;
                }
                let link = PageLink {
                    file: self.file(own.name),
                    text: own.lesson.listed(),
                };
                document.push(Block::Link {
                    link,
                    about: own.lesson.about.clone(),
                    other_form: self.played(own.name, "Play it in the browser"),
                });
            }
            if !is_first {
                document.gap();
            }
        }
        document
    }

    fn write_json(&self, _out: &mut dyn io::Write) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
