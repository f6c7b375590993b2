import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { stage } from './staging.ts'

// The parser imports JSON without saying so, which Node refuses.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser')

const root = path.join(import.meta.dirname, '..', '..')
const folder = path.join(root, '.github', 'workflows')
const texts = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')] as const)

/** Faults by GitHub's own parser: the shape of the workflow, its expressions, and what may be named where. */
const faults = (name: string, content: string): string[] =>
  parseWorkflow({ name, content }, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message)

it.each(texts)("%s has no fault that GitHub's own parser knows", (name, text) => {
  expect(faults(name, text)).toEqual([])
  for (const [right, wrong] of [
    ['runs-on: ', 'runs-upon: '],
    [/\$\{\{ ([a-z.]+) \}\}/, '${{ $1( }}'],
    [/timeout-minutes: \d+/, 'timeout-minutes: soon'],
  ] as const) {
    expect(text).toMatch(right)
    expect(faults(name, text.replace(right, wrong)), wrong).not.toEqual([])
  }
})

it('runs only scripts that are there, and keeps secrets to the step that signs', () => {
  for (const [, text] of texts) {
    for (const [, script] of text.matchAll(/(?:node|bash) (scripts\/[a-z-]+\.(?:ts|sh))/g))
      expect(existsSync(path.join(root, script!)), script).toBe(true)
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    for (const [, script] of text.matchAll(/npm run ([a-z-]+)/g)) expect(scripts).toHaveProperty(script!)
    const { jobs } = parse(text) as { jobs: Record<string, { env?: object; steps: { run?: string; env?: object }[] }> }
    for (const { env, steps } of Object.values(jobs)) {
      expect(JSON.stringify(env ?? {})).not.toContain('secrets.')
      for (const step of steps)
        if (step.run !== 'npm run package') expect(JSON.stringify(step)).not.toContain('secrets.')
    }
  }
})

it('tries the packaged app and the app from source, one window at a time, on every system that it builds for', () => {
  const release = parse(readFileSync(path.join(folder, 'release.yml'), 'utf8')) as {
    jobs: Record<string, { steps: { if?: string; run?: string; env?: object }[] }>
  }
  const tried = (release.jobs['build']?.steps ?? []).filter(({ run = '' }) => run.includes('e2e/desktop'))
  for (const { run = '' } of tried) expect(run).toContain('--workers=1')
  const told = tried.map(({ if: where, env }) => [where, Object.keys(env ?? {})])
  const systems = ["runner.os == 'Linux'", "runner.os != 'Linux'"]
  expect(told).toEqual([
    ...systems.map((system) => [system, ['SIDESTAGE_PACKAGED_APP']]),
    ...systems.map((system) => [system, []]),
  ])
  const all = JSON.stringify(release)
  for (const part of ['scripts/read-fuses.ts', 'scripts/sbom.ts', 'npm audit --omit=dev', 'sha256sum', '--draft'])
    expect(all).toContain(part)
})

it('runs the two commands, and the app from source one window at a time, for a change on every system', () => {
  const { jobs } = parse(readFileSync(path.join(folder, 'pull-request.yml'), 'utf8')) as {
    jobs: Record<string, { strategy: { matrix: { system: string[] } }; steps: { if?: string; run?: string }[] }>
  }
  const systems = ['ubuntu-24.04', 'windows-2022', 'macos-15']
  for (const job of ['test', 'window']) expect(jobs[job]?.strategy.matrix.system).toEqual(systems)
  const runs = (job: string) => (jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? [])
  expect(runs('test')).toContain('npm test')
  expect(runs('test').some((run) => run.startsWith('npm start -- '))).toBe(true)
  const tried = (jobs['window']?.steps ?? []).filter(({ run = '' }) => run.includes('e2e/desktop'))
  expect(tried.map(({ if: where }) => where)).toEqual(["runner.os == 'Linux'", "runner.os != 'Linux'"])
  for (const { run = '' } of tried) expect(run).toContain('--workers=1')
  // The browser that tests drive is that of the locked version.
  const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    devDependencies: { playwright: string }
  }
  const browsers = runs('test').filter((run) => run.includes('playwright@'))
  for (const run of browsers) expect(run).toContain(`playwright@${devDependencies.playwright} install`)
  expect(browsers).toHaveLength(2)
})

it.skipIf(process.platform === 'win32')('refuses a change with a commit whose subject has more than 72 letters', () => {
  const { jobs } = parse(readFileSync(path.join(folder, 'pull-request.yml'), 'utf8')) as {
    jobs: Record<string, { steps: { run?: string }[] }>
  }
  const run = jobs['commits']?.steps.find((step) => step.run?.includes('git log'))?.run ?? ''
  const dir = mkdtempSync(path.join(tmpdir(), 'sidestage-subjects-'))
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
    return spawnSync('git', [...identity, ...args], { cwd: dir, encoding: 'utf8' }).stdout.trim()
  }
  const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '-m', `${subject}\n\n${'w'.repeat(90)}`)
  try {
    git('init', '--quiet')
    commit('x'.repeat(80))
    const base = git('rev-parse', 'HEAD')
    // As GitHub runs it: one that fails ends the step, and what is negated has to be the last one.
    const status = () => spawnSync('bash', ['-e', '-c', run], { cwd: dir, env: { ...process.env, BASE: base } }).status
    commit('x'.repeat(72))
    expect(status()).toBe(0)
    commit('y'.repeat(73))
    expect(status()).toBe(1)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

it('offers a release to a share of the installations first', () => {
  const feed =
    'version: 1.2.3\nfiles:\n  - url: a.exe\n    sha512: abc\npath: a.exe\nsha512: abc\nreleaseDate: "2026-11-21T00:00:00.000Z"\n'
  expect(parse(stage(feed, 10))).toEqual({ ...(parse(feed) as object), stagingPercentage: 10 })
  expect(() => stage(feed, 0)).toThrow('1 to 100')
  expect(() => stage('hello: there', 10)).toThrow('no feed')
})
