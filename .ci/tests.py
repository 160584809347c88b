"""Prints the ten slowest tests of a run of nextest, and fails if the run took half more than its budget.

    tests.py JUNIT BUDGET_IN_MINUTES
"""

import sys
import xml.etree.ElementTree as ElementTree

path, budget = sys.argv[1], 60 * float(sys.argv[2])
report = ElementTree.parse(path).getroot()
tests = [
    (float(test.get("time")), f"{suite.get('name')} {test.get('name')}")
    for suite in report.iter("testsuite")
    for test in suite.iter("testcase")
]
for seconds, name in sorted(tests, reverse=True)[:10]:
    print(f"{seconds:7.1f} s  {name}")
seconds = float(report.get("time"))
print(f"{seconds:7.1f} s  for {len(tests)} tests, of a budget of {budget:.0f} s")
if seconds > 1.5 * budget:
    sys.exit("the tests take half more than their budget: make the slowest of them faster")
