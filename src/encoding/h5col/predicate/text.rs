//! The text form of predicates.

use std::str::FromStr;

use super::{Literal, Operator, Predicate, column};
use crate::encoding::h5col::error::QueryError;

/// Parentheses and `not` inside each other that are followed.
const DEEPEST: usize = 200;

/// Words of the grammar, which stand in backquotes where they name a column.
const WORDS: [&str; 12] = ["and", "or", "not", "in", "is", "null", "between", "true", "false", "inf", "nan", "x"];

/// True for a name that needs no backquotes.
pub(super) fn is_word(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(begins_word)
        && characters.all(in_word)
        && WORDS[..11].iter().all(|word| !word.eq_ignore_ascii_case(name))
}

fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A column, or a word of the grammar.
    Word(String),
    /// A column in backquotes.
    Name(String),
    Value(Literal),
    Symbol(&'static str),
    End,
}

/// Symbols, longest first.
const SYMBOLS: [&str; 17] =
    ["==", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "(", ")", ",", "&", "|", "!", "~"];

/// The tokens of a text, each with the number of its first character, from 1.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, QueryError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text.chars().count() - rest.chars().count() + 1;
        let Some(first) = rest.chars().next() else {
            tokens.push((at, Token::End));
            return Ok(tokens);
        };
        let (token, after) = token(first, rest).map_err(|fault| QueryError::Syntax { at, fault })?;
        tokens.push((at, token));
        rest = after;
    }
}

fn token(first: char, rest: &str) -> Result<(Token, &str), String> {
    if matches!(first, '"' | '\'') {
        let (text, after) = quoted(rest, first)?;
        return Ok((Token::Value(Literal::Text(text)), after));
    }
    if first == '`' {
        let (name, after) = quoted(rest, first)?;
        return Ok((Token::Name(name), after));
    }
    if matches!(first, 'x' | 'X') {
        let after = rest.strip_prefix(first).unwrap_or_default();
        if let Some(quote @ ('"' | '\'')) = after.chars().next() {
            let (digits, after) = quoted(after, quote)?;
            return Ok((Token::Value(Literal::Bytes(hexadecimal(&digits)?)), after));
        }
    }
    let signed = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    if signed.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return number(rest, signed);
    }
    if signed.len() < rest.len() && signed.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("inf")) {
        let value = if first == '-' { f64::NEG_INFINITY } else { f64::INFINITY };
        return Ok((Token::Value(Literal::Float(value)), &signed[3..]));
    }
    if begins_word(first) {
        let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let token = match word.to_ascii_lowercase().as_str() {
            "true" => Token::Value(Literal::Boolean(true)),
            "false" => Token::Value(Literal::Boolean(false)),
            "inf" => Token::Value(Literal::Float(f64::INFINITY)),
            "nan" => Token::Value(Literal::Float(f64::NAN)),
            _ => Token::Word(word.to_owned()),
        };
        return Ok((token, after));
    }
    let found = SYMBOLS.iter().find_map(|symbol| Some((Token::Symbol(symbol), rest.strip_prefix(symbol)?)));
    found.ok_or_else(|| format!("`{first}` means nothing here"))
}

/// Text between quotes: `\` makes the next character stand for itself, `\n` and `\t` are line end and tab, and `\u{…}`
/// is the character of that number.
fn quoted(rest: &str, quote: char) -> Result<(String, &str), String> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            c if c == quote => return Ok((text, rest.get(at + c.len_utf8()..).unwrap_or_default())),
            '\\' => match characters.next().map(|(_, c)| c) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('u') => {
                    let digits: String =
                        characters.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                    let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    text.push(c.ok_or_else(|| format!("`{digits}` is no character"))?);
                }
                Some(c) => text.push(c),
                None => break,
            },
            c => text.push(c),
        }
    }
    Err(format!("no {quote} ends the text"))
}

fn hexadecimal(digits: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("`{digits}` is not pairs of hexadecimal digits");
    let nibbles: Option<Vec<u8>> = digits.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let nibbles = nibbles.filter(|n| n.len() % 2 == 0).ok_or_else(wrong)?;
    Ok(nibbles.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, nibble| byte << 4 | nibble)).collect())
}

fn number<'t>(rest: &'t str, signed: &str) -> Result<(Token, &'t str), String> {
    let sign = rest.len() - signed.len();
    let mut end = signed.len();
    let mut before = ' ';
    for (at, c) in signed.char_indices() {
        let exponent_sign = matches!(c, '-' | '+') && matches!(before, 'e' | 'E');
        if !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || exponent_sign) {
            end = at;
            break;
        }
        before = c;
    }
    let (text, after) = rest.split_at(sign + end);
    let digits = text.replace('_', "");
    let value = match digits.parse::<i128>() {
        Ok(n) => Some(Literal::Integer(n)),
        Err(_) => digits.parse::<f64>().ok().map(Literal::Float),
    };
    match value {
        // All digits and still no integer: it has more than 127 bits.
        Some(Literal::Float(_)) if !digits.contains(['.', 'e', 'E']) => Err(format!("`{text}` is too large")),
        Some(value) => Ok((Token::Value(value), after)),
        None => Err(format!("`{text}` is no number")),
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
}

type Parsed = Result<Predicate, QueryError>;

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(_, token)| token)
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    fn fault(&self, fault: impl Into<String>) -> QueryError {
        let last = self.tokens.last().map_or(1, |(at, _)| *at);
        let at = self.tokens.get(self.next).map_or(last, |(at, _)| *at);
        QueryError::Syntax { at, fault: fault.into() }
    }

    /// Takes one of these symbols, or this word.
    fn takes(&mut self, symbols: &[&str], word: &str) -> bool {
        let found = match self.peek() {
            Token::Symbol(symbol) => symbols.contains(symbol),
            Token::Word(found) => found.eq_ignore_ascii_case(word),
            _ => false,
        };
        self.next += usize::from(found);
        found
    }

    fn needs(&mut self, symbols: &[&str], word: &str) -> Result<(), QueryError> {
        if self.takes(symbols, word) {
            return Ok(());
        }
        Err(self.fault(format!("here must be `{}`", symbols.first().unwrap_or(&word))))
    }

    fn any(&mut self) -> Parsed {
        let mut predicate = self.all()?;
        while self.takes(&["|", "||"], "or") {
            predicate = predicate | self.all()?;
        }
        Ok(predicate)
    }

    fn all(&mut self) -> Parsed {
        let mut predicate = self.one()?;
        while self.takes(&["&", "&&"], "and") {
            predicate = predicate & self.one()?;
        }
        Ok(predicate)
    }

    fn one(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault(format!("more than {DEEPEST} levels")));
        }
        let predicate = if self.takes(&["!", "~"], "not") {
            !self.one()?
        } else if self.takes(&["("], "") {
            let predicate = self.any()?;
            self.needs(&[")"], "")?;
            predicate
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(predicate)
    }

    fn test(&mut self) -> Parsed {
        let name = match self.peek().clone() {
            Token::Name(name) => name,
            Token::Word(name) if is_word(&name) => name,
            Token::Value(Literal::Boolean(true)) => {
                self.next += 1;
                return Ok(Predicate::All);
            }
            _ => return Err(self.fault("here must be a column, `not` or `(`")),
        };
        self.next += 1;
        if self.takes(&[], "is") {
            let valid = self.takes(&[], "not");
            self.needs(&[], "null")?;
            return Ok(if valid { column(name).is_valid() } else { column(name).is_null() });
        }
        if self.takes(&[], "not") {
            self.needs(&[], "in")?;
            return Ok(!self.list(name)?);
        }
        if self.takes(&[], "in") {
            return self.list(name);
        }
        if self.takes(&[], "between") {
            let low = self.value()?;
            self.needs(&["&", "&&"], "and")?;
            return Ok(column(name.clone()).ge(low) & column(name).le(self.value()?));
        }
        let operator = match self.peek() {
            Token::Symbol("=" | "==") => Operator::Equal,
            Token::Symbol("!=" | "<>") => Operator::NotEqual,
            Token::Symbol("<") => Operator::Less,
            Token::Symbol("<=") => Operator::LessOrEqual,
            Token::Symbol(">") => Operator::Greater,
            Token::Symbol(">=") => Operator::GreaterOrEqual,
            _ => return Err(self.fault("here must be a comparison, `in`, `between` or `is null`")),
        };
        self.next += 1;
        Ok(Predicate::Compare { column: name, operator, value: self.value()? })
    }

    fn value(&mut self) -> Result<Literal, QueryError> {
        match self.peek() {
            Token::Value(_) => match self.take() {
                Token::Value(value) => Ok(value),
                _ => Err(self.fault("here must be a value")),
            },
            Token::Word(word) => {
                let word = word.clone();
                Err(self.fault(format!("here must be a value; text stands in quotes: \"{word}\"")))
            }
            _ => Err(self.fault("here must be a value")),
        }
    }

    fn list(&mut self, name: String) -> Parsed {
        self.needs(&["("], "")?;
        let mut values = Vec::new();
        while !self.takes(&[")"], "") {
            if !values.is_empty() {
                self.needs(&[","], "")?;
            }
            values.push(self.value()?);
        }
        Ok(Predicate::In { column: name, values })
    }
}

impl FromStr for Predicate {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
        let predicate = parser.any()?;
        match parser.peek() {
            Token::End => Ok(predicate),
            _ => Err(parser.fault("here must be `and`, `or`, or the end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Predicate {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn not_binds_closest_and_or_least() {
        let (a, b, c) = (column("a").eq(1), column("b").lt(2.5), column("c").is_null());
        assert_eq!(parsed("not a = 1 and b < 2.5 or c is null"), (!a.clone() & b.clone()) | c.clone());
        assert_eq!(parsed("a == 1 & (b < 2.5 || c IS NULL)"), a & (b | c));
    }

    #[test]
    fn values() {
        assert_eq!(parsed("x = 'it''"[..8].trim_end()), column("x").eq("it"));
        assert_eq!(parsed(r#"x = "a\"b\\\u{e9}""#), column("x").eq("a\"b\\é"));
        assert_eq!(parsed("`odd name` != -1_000"), column("odd name").ne(-1000));
        assert_eq!(parsed("x >= -inf"), column("x").ge(f64::NEG_INFINITY));
        assert_eq!(parsed("x = 1e3"), column("x").eq(1000.0));
        assert_eq!(
            parsed("x in (1, 'b', x'00fF', true)"),
            Predicate::In {
                column: "x".into(),
                values: vec![1.into(), "b".into(), vec![0u8, 255].into(), true.into()],
            }
        );
        assert_eq!(parsed("x in ()"), column("x").is_in::<i64>([]));
        assert_eq!(parsed("x between 1 and 2 and true"), column("x").ge(1) & column("x").le(2) & Predicate::All);
    }

    #[test]
    fn what_is_shown_parses_to_the_same() {
        for text in [
            "a == 1 and (b < 2.0 or c is not null)",
            "not (`a b` in (\"x\", x\"00ff\"))",
            "`null` >= -inf and true",
            "a == \"\\\\ \\\" \\n\"",
            "a == 1 and b == 2 or c == 3",
            "(a == 1 and b == 2) and (c == 3 or d == 4)",
            &format!("{}a == 1", "not ".repeat(199)),
        ] {
            let predicate = parsed(text);
            assert_eq!(parsed(&predicate.to_string()), predicate, "{predicate}");
        }
    }

    #[test]
    fn faults_say_where() {
        let fault = |text: &str| text.parse::<Predicate>().expect_err(text).to_string();
        assert_eq!(fault("a == b"), "at character 6 of the query: here must be a value; text stands in quotes: \"b\"");
        assert_eq!(fault("é <> 'x"), "at character 6 of the query: no ' ends the text");
        assert!(fault("").contains("here must be a column"));
        assert!(fault("a == 1 b").contains("at character 8"));
        assert!(fault(&"(".repeat(10_000)).contains("more than 200 levels"));
        assert!(fault("a == 12abc").contains("no number"));
        assert!(fault("a == x'0'").contains("hexadecimal"));
    }
}
