import { stripVTControlCharacters } from 'node:util'

/** What the JSON report of Vitest says, as far as it is read here. */
export interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

interface PlaywrightSuite {
  readonly specs?: readonly {
    readonly title: string
    readonly file: string
    readonly ok: boolean
    readonly tests: readonly {
      readonly results: readonly { readonly errors: readonly { readonly message?: string }[] }[]
    }[]
  }[]
  readonly suites?: readonly PlaywrightSuite[]
}

/** What the JSON report of Playwright says, as far as it is read here. */
export interface PlaywrightReport {
  readonly stats: {
    readonly expected: number
    readonly unexpected: number
    readonly flaky: number
    readonly skipped: number
  }
  readonly errors: readonly { readonly message?: string }[]
  readonly suites: readonly PlaywrightSuite[]
}

/** Lines of an error that are told, and letters of each. */
const told = { lines: 3, letters: 300 } as const

/** The first lines of an error that say something, without colours. */
const firstLines = (text: string): string =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, told.lines)
    .map((line) => line.slice(0, told.letters))
    .join(' | ')

/** Each failed test of Vitest with the first lines of its error; a file that could not be loaded has no tests and is named itself. */
export const vitestFailures = ({ testResults }: VitestReport): string[] =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((each) => each.status === 'failed')
    if (failed.length === 0) return status === 'failed' ? [`${name}: ${firstLines(message)}`] : []
    return failed.map((each) => `${name} > ${each.fullName}: ${firstLines(each.failureMessages.join('\n'))}`)
  })

/** The files with failed tests. */
export const vitestFiles = ({ testResults }: VitestReport): string[] =>
  testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)

const specsIn = (suites: readonly PlaywrightSuite[]): NonNullable<PlaywrightSuite['specs']> =>
  suites.flatMap((suite) => [...(suite.specs ?? []), ...specsIn(suite.suites ?? [])])

/** Each failed test of Playwright with the first lines of its error, and what failed outside of tests. */
export const playwrightFailures = ({ errors, suites }: PlaywrightReport): string[] => [
  ...errors.map(({ message }) => firstLines(message ?? 'an error without words')),
  ...specsIn(suites)
    .filter(({ ok }) => !ok)
    .map(({ file, title, tests }) => {
      const messages = tests.flatMap(({ results }) =>
        results.flatMap((result) => result.errors.map(({ message }) => message ?? '')),
      )
      return `${file} > ${title}: ${firstLines(messages.join('\n'))}`
    }),
]

/** The files with failed tests; none where something failed outside of tests, as they do not try that again. */
export const playwrightFiles = ({ errors, suites }: PlaywrightReport): string[] =>
  errors.length > 0 ? [] : [...new Set(specsIn(suites).flatMap(({ ok, file }) => (ok ? [] : [file])))]

/** The last lines of what a step without a report printed. */
export const lastLines = (output: string, lines = 25): string[] =>
  stripVTControlCharacters(output).trimEnd().split('\n').slice(-lines)
