import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import { startCommand } from '../e2e/command.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { median, processFamily, processFigures, temporaryFolder } from './measurement.ts'

/**
 * How long the browser shell takes from the start of its process until its first screen can be used, on a built tree: a fresh data folder
 * and a fresh browser context each time, Chromium itself running already. Usable: the first channel's name can be entered and created.
 * `again` are starts on a data folder that was used before. `node bench/start.ts [--rounds 5] [--limit 1500]`; ends with 1 above
 * the limit. On a machine that is busy otherwise the times say little: `cpu` is what the app itself used, `load` how many wanted to run.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, limit: { type: 'string', default: '1500' } },
})
const root = new URL('..', import.meta.url).pathname
await ensureBuilt(root, ['renderer', 'watch', 'main'], (line) => process.stderr.write(`${line}\n`))
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const switches = ['--shell', 'browser', '--port', '0', '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']

/** Stands where the system keeps what opens an address, so that the page opens when it would for a person. */
const opener = temporaryFolder()
const opened = path.join(opener.path, 'address')
writeFileSync(
  path.join(opener.path, 'xdg-open'),
  `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
  { mode: 0o700 },
)
const environment = { ...process.env, PATH: `${opener.path}:${process.env['PATH'] ?? ''}` }
const address = async (): Promise<string> => {
  while (!existsSync(opened)) await wait(2)
  return readFileSync(opened, 'utf8')
}

/** Milliseconds since the process was started: until it opens the page, until that shows its frame, until the first screen is usable; and the CPU time of companion and service until then. */
async function once(dataDir: string): Promise<Readonly<Record<'opened' | 'shown' | 'usable' | 'cpu', number>>> {
  rmSync(opened, { force: true })
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  const began = performance.now()
  const starting = startCommand(['scripts/start.ts', ...switches, '--data', dataDir], environment)
  try {
    const url = await Promise.race([address(), starting.then(address)])
    const openedAt = performance.now() - began
    await page.goto(url, { waitUntil: 'commit' })
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    const shown = performance.now() - began
    await page.getByText('Service running', { exact: true }).waitFor()
    await page.getByLabel('Name').first().fill('Measured')
    await page.locator('button:not([aria-disabled=true])', { hasText: 'Create channel' }).first().click({ trial: true })
    const usable = performance.now() - began
    const { pid } = (await starting).process
    const cpu = processFamily(pid ?? 0).reduce((sum, each) => sum + processFigures(each).cpu * 1000, 0)
    return { opened: openedAt, shown, usable, cpu }
  } finally {
    await (await starting).stop()
    await page.context().close()
  }
}

try {
  const fresh: Awaited<ReturnType<typeof once>>[] = []
  const again: typeof fresh = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const folder = temporaryFolder()
    try {
      fresh.push(await once(folder.path))
      again.push(await once(folder.path))
    } finally {
      folder.remove()
    }
  }
  const middle = (of: typeof fresh): Record<string, number> =>
    Object.fromEntries(
      (['opened', 'shown', 'usable', 'cpu'] as const).map((name) => [
        name,
        Math.round(median(of.map((each) => each[name]))),
      ]),
    )
  const limit = Number(values.limit)
  const figures = { fresh: middle(fresh), again: middle(again) }
  const met = (figures.fresh['usable'] ?? Infinity) < limit && (figures.again['usable'] ?? Infinity) < limit
  process.stdout.write(
    `${JSON.stringify({ event: 'start', unit: 'ms', rounds: fresh.length, limit, ...figures, load: loadavg()[0], worst: Math.round(Math.max(...fresh.map((each) => each.usable))), met })}\n`,
  )
  process.exitCode = met ? 0 : 1
} finally {
  await browser.close()
  opener.remove()
}
