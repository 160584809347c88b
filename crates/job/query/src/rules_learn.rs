//! Proposes URL rules from the table `url_parameters`.

use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use engine::{EngineError, Job, SpecError, latest_parameters, parameter_slot, plan_session};
use futures::TryStreamExt;
use site_replay::Queries;
use tables::{Table, date_from_days};
use url_key::RuleSet;
use url_parameters::{Evidence, RuleFile, Slot};

use crate::rows::Rows;
use crate::session::open_existing;

/// Returns a rule file with what the runs of `job` learned about parameters of URLs: rules for the
/// paths whose pages a parameter identifies, with their evidence as comments.
///
/// # Errors
/// [`EngineError`] if the job learns nothing, or if the table `url_parameters` does not exist or
/// cannot be read.
pub async fn learn_rules(job: &Job) -> Result<String, EngineError> {
    if job.settings.site.queries == Queries::Drop {
        let expected = "\"drop\" learns no rules; expected \"learn\", and tables of a run with it";
        return Err(SpecError::key("paper.queries", expected).into());
    }
    let context = plan_session(job)?;
    let remedy = "run the job first: it writes the table when a URL has a parameter without a rule, unless \
         paper.lookback is limited";
    open_existing(&context, job, Table::UrlParameters, remedy).await?;
    let (file, until) = propose(&context, job).await?;
    let rules = file.rules();
    let text = file.finish(&job.output.location().to_string(), until.as_deref());
    if let Err(error) = RuleSet::parse(&text) {
        tracing::warn!("the {rules} proposed rules cannot be used in one file: {error}");
    }
    Ok(text)
}

/// Returns the proposals, and the last date of the table. One host is in memory at a time.
async fn propose(context: &SessionContext, job: &Job) -> Result<(RuleFile, Option<String>)> {
    let latest = latest_parameters("url_parameters");
    let latest = format!("SELECT * FROM {latest} ORDER BY host, path_shape, parameter, domain");
    let mut rows = context.sql(&latest).await?.execute_stream().await?;
    let mut file = RuleFile::default();
    let mut host: Vec<(Slot, Evidence)> = Vec::new();
    let mut add = |host: &mut Vec<(Slot, Evidence)>| {
        let date = |days| date_from_days(days).to_string();
        file.add_host(host, &job.settings.site.keyer, date);
        host.clear();
    };
    while let Some(batch) = rows.try_next().await? {
        for row in 0..batch.num_rows() {
            let (_, slot, evidence) = parameter_slot(&batch, row)?;
            if host.last().is_some_and(|(last, _)| last.host != slot.host) {
                add(&mut host);
            }
            host.push((slot, evidence));
        }
    }
    add(&mut host);
    Ok((file, last_date(context).await?))
}

async fn last_date(context: &SessionContext) -> Result<Option<String>> {
    let last = "SELECT max(date) AS date FROM url_parameters";
    let dates = Rows::collect(context.sql(last).await?).await?;
    let last = dates.iter().find_map(|row| row.date("date"));
    Ok(last.map(|date| date.to_string()))
}
