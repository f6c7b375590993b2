import { expect, it } from 'vitest'
import {
  lastLines,
  playwrightFailures,
  playwrightFiles,
  vitestFailures,
  vitestFiles,
  type PlaywrightReport,
  type VitestReport,
} from './failures.ts'

const counts = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0 }

it('names a failed unit test with the first lines of its error, and a file that could not be loaded', () => {
  const report: VitestReport = {
    ...counts,
    testResults: [
      {
        name: 'service/a.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'answers', status: 'passed', failureMessages: [] },
          {
            fullName: 'counts',
            status: 'failed',
            failureMessages: ['\u001b[31mAssertionError\u001b[39m: expected 1 to be 2\n\n    at a\n    at b\n    at c'],
          },
        ],
      },
      { name: 'service/b.test.ts', status: 'failed', message: 'Cannot find module', assertionResults: [] },
      { name: 'service/c.test.ts', status: 'passed', message: '', assertionResults: [] },
    ],
  }
  expect(vitestFailures(report)).toEqual([
    'service/a.test.ts > counts: AssertionError: expected 1 to be 2 | at a | at b',
    'service/b.test.ts: Cannot find module',
  ])
  expect(vitestFiles(report)).toEqual(['service/a.test.ts', 'service/b.test.ts'])
})

it('names a failed browser test in any depth of suites, and an error outside of tests', () => {
  const spec = (title: string, ok: boolean, message?: string) => ({
    title,
    ok,
    file: 'browser/x.spec.ts',
    tests: [{ results: [{ errors: message ? [{ message }] : [] }] }],
  })
  const report: PlaywrightReport = {
    stats: { expected: 1, unexpected: 1, flaky: 0, skipped: 0 },
    errors: [{ message: 'the worker ended' }],
    suites: [{ specs: [spec('is well', true)], suites: [{ specs: [spec('is not', false, 'Error: not visible')] }] }],
  }
  expect(playwrightFailures(report)).toEqual(['the worker ended', 'browser/x.spec.ts > is not: Error: not visible'])
  expect(playwrightFiles(report), 'what failed outside of tests is in no file').toEqual([])
  expect(playwrightFiles({ ...report, errors: [] })).toEqual(['browser/x.spec.ts'])
})

it('has the last lines of a step without a report, without colours', () => {
  expect(lastLines('one\ntwo\n\u001b[31mthree\u001b[39m\n\n', 2)).toEqual(['two', 'three'])
})
