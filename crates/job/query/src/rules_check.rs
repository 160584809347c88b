//! Computes the effect of other URL rules on the table `url_keys`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanBuilder, StringBuilder, StructArray};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use datafusion::prelude::SessionContext;
use engine::{EngineError, Job, Settings, SpecError, plan_session};
use futures::TryStreamExt;
use site_replay::key_after_rule_change;
use tables::Table;
use url_key::Keyer;

use crate::rows::Rows;
use crate::session::open_existing;

/// Examples of each kind of change.
const EXAMPLES: usize = 20;

/// The effect of other URL rules on the rows of `url_keys`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RulesCheck {
    /// Rows of `url_keys`.
    pub rows: u64,
    /// Rows with another key.
    pub changed: ChangedKeys,
    /// Rows with another key that depends on the title, and whose title is not known. Their title
    /// counts as empty.
    pub without_title: u64,
    /// Unique pages that get the key of an earlier unique page, and would be duplicates.
    pub merged: ChangedKeys,
    /// Duplicates that get another key than the page they duplicate.
    pub separated: ChangedKeys,
    /// Distinct keys of separated duplicates that no unique page has: the number of new pages.
    pub new_pages: u64,
}

/// Rows of one kind of change.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedKeys {
    /// The number of rows.
    pub rows: u64,
    /// The first different examples by new key and URL.
    pub examples: BTreeSet<ChangedKey>,
}

/// A row and its keys.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ChangedKey {
    /// The key under the new rules.
    pub new_key: String,
    /// The response URL.
    pub url: String,
    /// The key in the table.
    pub old_key: String,
    /// The new rule that applies to the URL.
    pub rule: Option<String>,
    /// The URL of the page that the row would be merged with or separated from.
    pub other_url: Option<String>,
}

/// Rows of `url_keys` with their keys under the new rules.
const CHECKED: &str = "SELECT url, url_key, rule, status, merged_by, duplicate_of, fetched_at, source, \
       row, new['key'] AS new_key, new['rule'] AS new_rule, new['without_title'] AS without_title \
     FROM (SELECT *, key_after_rule_change(url, url_key, rule, content_id) AS new FROM url_keys)";

const CHANGED: &str = "SELECT url, url_key, new_key, new_rule, without_title \
     FROM checked WHERE new_key <> url_key";

/// Pages after the first of their new key. A page whose old key is that of the first was unique
/// before: the first is out of its `paper.lookback`.
const MERGED: &str = "SELECT url, url_key, new_key, new_rule, other_url \
     FROM (SELECT url, url_key, new_key, new_rule, \
         first_value(url_key) OVER first_page AS first_key, first_value(url) OVER first_page AS other_url \
       FROM checked WHERE status = 'unique' \
       WINDOW first_page AS (PARTITION BY new_key ORDER BY fetched_at, url, source, row)) \
     WHERE url_key <> first_key";

/// Duplicates whose original has another new key. Two rows with different old keys were merged by
/// content or by what was learned: they are separated if a new rule applies.
const SEPARATED: &str = "SELECT copy.url, copy.url_key, copy.new_key, copy.new_rule, \
       original.url AS other_url \
     FROM (SELECT * FROM checked WHERE status = 'duplicate') AS copy \
     JOIN (SELECT url, url_key, new_key, source || '#' || arrow_cast(row, 'Utf8') AS position FROM checked) \
       AS original ON copy.duplicate_of = original.position \
     WHERE copy.new_key <> original.new_key AND (copy.new_rule IS NOT NULL OR \
       (copy.url_key = original.url_key AND \
        copy.merged_by NOT IN ('same_content', 'learned_parameter')))";

/// Returns the effect of the rules in the file `rules` on the tables of `job`, without running it.
/// The tables are read in streams, and sorts spill.
///
/// # Errors
/// [`EngineError`] if the file is not a rule file, or if the table `url_keys` does not exist or
/// cannot be read.
pub async fn check_rules(job: &Job, rules: &Path) -> Result<RulesCheck, EngineError> {
    let file = rules.display().to_string();
    let text = std::fs::read_to_string(rules)
        .map_err(|error| SpecError::key(&file, format!("cannot read the rules: {error}")))?;
    let rules = (job.rule_set(&text)).map_err(|error| SpecError::key(&file, error.to_string()))?;
    let context = plan_session(job)?;
    open_existing(&context, job, Table::UrlKeys, "run the job first").await?;
    let keyer = job.settings.site.keyer.with_rules(rules);
    Ok(check(&context, &job.settings, keyer).await?)
}

async fn check(
    context: &SessionContext,
    settings: &Arc<Settings>,
    keyer: Keyer,
) -> Result<RulesCheck> {
    // A hash join holds one side in memory; a merge join sorts, and sorts spill.
    let merge_join = "SET datafusion.optimizer.prefer_hash_join = false";
    context.sql(merge_join).await?.collect().await?;
    context.register_udf(key_after_rules(settings, keyer));
    let checked = context.sql(CHECKED).await?.into_view();
    context.register_table("checked", checked)?;
    let mut check = RulesCheck {
        rows: context.table(Table::UrlKeys.name()).await?.count().await? as u64,
        ..RulesCheck::default()
    };
    (check.changed, check.without_title) = changed_keys(context, CHANGED).await?;
    (check.merged, _) = changed_keys(context, MERGED).await?;
    (check.separated, _) = changed_keys(context, SEPARATED).await?;
    if check.separated.rows > 0 {
        let new_pages = format!(
            "SELECT new_key FROM (SELECT DISTINCT new_key FROM ({SEPARATED})) AS found \
             WHERE NOT EXISTS (SELECT 1 FROM checked AS page \
               WHERE page.status = 'unique' AND page.new_key = found.new_key)"
        );
        check.new_pages = context.sql(&new_pages).await?.count().await? as u64;
    }
    Ok(check)
}

/// Reads the rows of a query, and the number of those whose title is not known.
async fn changed_keys(context: &SessionContext, sql: &str) -> Result<(ChangedKeys, u64)> {
    let mut rows = context.sql(sql).await?.execute_stream().await?;
    let mut changed = ChangedKeys::default();
    let mut without_title = 0;
    while let Some(batch) = rows.try_next().await? {
        for row in Rows::of(&batch)?.iter() {
            changed.rows += 1;
            without_title += u64::from(row.flag("without_title"));
            changed.examples.insert(ChangedKey {
                new_key: row.text("new_key").to_owned(),
                url: row.text("url").to_owned(),
                old_key: row.text("url_key").to_owned(),
                rule: row.owned("new_rule"),
                other_url: row.owned("other_url"),
            });
            if changed.examples.len() > EXAMPLES {
                changed.examples.pop_last();
            }
        }
    }
    Ok((changed, without_title))
}

/// Returns `key_after_rule_change(url, url_key, rule, content_id)`: the key of a row under the rules
/// of `keyer`, the rule that applies, and whether the key needs a title that is not known.
fn key_after_rules(settings: &Arc<Settings>, keyer: Keyer) -> ScalarUDF {
    let fields = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("rule", DataType::Utf8, true),
        Field::new("without_title", DataType::Boolean, false),
    ]);
    let queries = settings.site.queries;
    let returned = fields.clone();
    let keys = move |arguments: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(arguments)?;
        let [urls, old_keys, rules, content_ids] =
            [0, 1, 2, 3].map(|column: usize| arrays[column].as_string::<i32>());
        let (mut new_keys, mut new_rules) = (StringBuilder::new(), StringBuilder::new());
        let mut without_title = BooleanBuilder::new();
        for row in 0..urls.len() {
            let content_id = content_ids.is_valid(row).then(|| content_ids.value(row));
            let had_rule = rules.is_valid(row);
            let key = key_after_rule_change(&keyer, queries, urls.value(row), had_rule, content_id);
            // A content id that the row does not have was made for the rule.
            let made = key.as_ref().and_then(|key| key.content_id.as_ref());
            without_title.append_value(made.is_some() && content_id.is_none());
            new_keys.append_value(key.as_ref().map_or(old_keys.value(row), |key| &key.text));
            new_rules.append_option(key.and_then(|key| key.rule));
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(new_keys.finish()),
            Arc::new(new_rules.finish()),
            Arc::new(without_title.finish()),
        ];
        let structs = StructArray::try_new(fields.clone(), columns, None)?;
        Ok(ColumnarValue::Array(Arc::new(structs)))
    };
    create_udf(
        "key_after_rule_change",
        vec![DataType::Utf8; 4],
        DataType::Struct(returned),
        Volatility::Immutable,
        Arc::new(keys),
    )
}
