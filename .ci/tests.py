"""Prints the ten slowest tests of a run of nextest, and fails if the run took half more than its budget.

    tests.py JUNIT [BUDGET_IN_SECONDS]
"""

import sys
import xml.etree.ElementTree as ElementTree

path, budget = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else None
report = ElementTree.parse(path).getroot()
tests = [
    (float(test.get("time")), f"{suite.get('name')} {test.get('name')}")
    for suite in report.iter("testsuite")
    for test in suite.iter("testcase")
]
for seconds, name in sorted(tests, reverse=True)[:10]:
    print(f"{seconds:7.1f} s  {name}")
seconds = float(report.get("time"))
print(f"{seconds:7.1f} s  for {len(tests)} tests")
if budget is None:
    print("no budget: it is the time of a build from nothing")
elif seconds > 1.5 * budget:
    sys.exit(f"the tests take half more than their budget of {budget:.0f} s: make the slowest of them faster")
