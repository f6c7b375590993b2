import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { figures } from './figures.ts'

const fileOf = (name: string): string => path.join(import.meta.dirname, '../../resources/monitoring', name)
const alerts = readFileSync(fileOf('sidestage-alerts.yml'), 'utf8')
const dashboard = JSON.parse(readFileSync(fileOf('sidestage-dashboard.json'), 'utf8')) as {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[]
}
const panelExpressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const alertExpressions = [...alerts.matchAll(/^\s+expr: (.+)$/gm)].map(([, expr]) => expr!)
const expressions = [...panelExpressions, ...alertExpressions]

let service: TestService
let text: string
const folder = temporaryFolder()
beforeAll(async () => {
  service = await startService({ metrics: { host: '127.0.0.1', port: 0 } })
  // One answer of each kind, so that every name has a row.
  await service.call(live.create, { name: 'a' })
  await service.call(live.create, { name: 'a' })
  text = (await httpRequest(`${service.service.metricsUrl}/metrics`, { method: 'GET' })).text
})
afterAll(async () => {
  await service.close()
  folder.remove()
})

describe('alert rules and dashboard', () => {
  it('use names that a scrape has, and labels that they have there', () => {
    expect(alertExpressions.length).toBeGreaterThan(10)
    const ofScrape = text.split('\n').flatMap((line) => /^[a-z_][a-z0-9_]*/.exec(line)?.[0] ?? [])
    // Of a cluster, or with an object store alone.
    const others = ['sidestage_redis_up', 'sidestage_recordings_storing', 'sidestage_recordings_storing_bytes']
    for (const name of others) expect(ofScrape).not.toContain(name)
    const names = new Set([...ofScrape, ...others])
    const ofTheirs = (expression: string): string[] => expression.match(/\b(?:sidestage|nodejs|process)_\w+/g) ?? []
    for (const expression of expressions) {
      for (const name of ofTheirs(expression)) expect(names, expression).toContain(name)
      if (!expression.startsWith('up{')) expect(ofTheirs(expression), expression).not.toEqual([])
    }
    for (const [, name, matchers] of expressions.join('\n').matchAll(/(sidestage_\w+)\{([^}]*)\}/g))
      for (const [, label, , value] of matchers!.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)) {
        if (label === 'instance') continue
        for (const one of value!.split('|'))
          expect(text, name).toMatch(new RegExp(`^${name}\\{.*${label}="${one}"`, 'm'))
      }
  })

  it('show every figure of the service', () => {
    const shown = panelExpressions.join('\n')
    for (const { name } of figures) expect(shown).toMatch(new RegExp(`\\b${name}(?:_bucket|_count|_sum)?\\b`))
  })
})

const isThere = spawnSync('promtool', ['--version']).status === 0
describe.skipIf(!isThere && process.env['CI'] === undefined)(
  'promtool (skipped where it is not, outside of CI)',
  () => {
    const promtool = (args: readonly string[], input = '') => {
      const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
      return { status, said: stdout + stderr }
    }
    it('finds nothing wrong with a scrape', () => {
      expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, said: '' })
    })

    it('takes the alert rules', () => {
      const { status, said } = promtool(['check', 'rules', '--lint-fatal', fileOf('sidestage-alerts.yml')])
      expect([status, said]).toEqual([0, expect.stringContaining(`SUCCESS: ${alertExpressions.length} rules found`)])
    })

    it('tells of a Redis and a database that stay away', () => {
      const file = path.join(folder.path, 'away.yml')
      const names = ['Database', 'Redis']
      const test = {
        interval: '15s',
        input_series: names.map((name) => ({
          series: `sidestage_${name.toLowerCase()}_up{instance="a"}`,
          values: '1 1 0x6',
        })),
        promql_expr_test: names.map((name) => {
          const alert = `ALERTS{alertname="Sidestage${name}Away",alertstate="firing"`
          return {
            expr: `${alert}}`,
            eval_time: '1m30s',
            exp_samples: [{ labels: `${alert},instance="a",severity="critical"}`, value: 1 }],
          }
        }),
      }
      writeFileSync(
        file,
        JSON.stringify({ rule_files: [fileOf('sidestage-alerts.yml')], evaluation_interval: '15s', tests: [test] }),
      )
      const { status, said } = promtool(['test', 'rules', file])
      expect([status, said]).toEqual([0, expect.stringContaining('SUCCESS')])
    })

    it('takes the expressions of the dashboard', () => {
      const file = path.join(folder.path, 'panels.yml')
      const rules = panelExpressions.map((expr, index) => ({
        record: `panel:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }))
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
      const { status, said } = promtool(['check', 'rules', file])
      expect([status, said]).toEqual([0, expect.stringContaining(`SUCCESS: ${rules.length} rules found`)])
    })
  },
)
