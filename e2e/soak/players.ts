import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import { startApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { startEncoder } from '../encoder.ts'
import { growthOf, round, serviceOf, socketsOf } from './growth.ts'
import { countObjectUrls, living, onePlayerLife, type Living } from './player-lives.ts'
import { openSession } from './preview-page.ts'

/**
 * Both players of the preview are made and taken down again so many times, over a real push in the app's own page in Chromium. Tells what
 * lives in the page and which sockets are open, at first and at last. One JSON line; ends with 1 when something is left over.
 * `node e2e/soak/players.ts [--times 500] [--minutes 30]`
 */
const { values } = parseArgs({
  options: { times: { type: 'string', default: '500' }, minutes: { type: 'string', default: '30' } },
})
const [times, minutes] = [Number(values.times), Number(values.minutes)]
/** What may be more at the end: nothing of a player, nodes and listeners that the screens keep for reuse, MB of compiled code. */
const allowed = { nodes: 500, listeners: 200, heap: 12, sockets: 4 } as const
/** Lives before the first count: what is loaded and kept at first is no leak. */
const warm = 3
const profileId = 'local'

const app = await startApp()
const companion = await openCompanion(app)
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--disable-gpu',
    '--autoplay-policy=no-user-gesture-required',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ],
})
const { cid } = await companion.rpc.channels.create({ profileId, name: 'Soak' })
const { text: pushUrl } = await companion.rpc.push.copy({ profileId, cid, part: 'url' })
if (pushUrl === null) throw new Error('no push address')
const encoder = startEncoder(pushUrl, { gopSeconds: 1 })
const faults: string[] = []
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`the page threw: ${error.message}`))
  await countObjectUrls(page)
  await page.goto(await app.link())
  await page.getByText('Service running', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Channels' }).click()
  await page.getByRole('region', { name: 'Channels' }).getByRole('link', { name: 'Soak', exact: true }).click()
  const session = await openSession(context, page)
  const service = serviceOf(app.process.pid!)
  const sockets = () => ({ companion: socketsOf(app.process.pid!), service: socketsOf(service) })

  for (let life = 0; life < warm; life++) await onePlayerLife(page, 'Soak')
  const first = { ...(await living(page, session)), ...sockets() }
  const readings: { readonly minute: number; readonly value: number }[] = []
  const begun = performance.now()
  let lived = 0
  for (; lived < times && performance.now() - begun < minutes * 60_000; lived++) {
    await onePlayerLife(page, 'Soak')
    if (lived % 10 !== 9) continue
    const { heap } = await living(page, session)
    readings.push({ minute: (performance.now() - begun) / 60_000, value: heap })
    console.error(JSON.stringify({ lived: lived + 1, heap: round(heap), ...sockets() }))
  }
  const last = { ...(await living(page, session)), ...sockets() }
  const over = (what: string, before: number, after: number, more: number): void => {
    if (after - before > more) faults.push(`${what}: ${round(before)} at first, ${round(after)} after ${lived} lives`)
  }
  for (const kind of Object.keys(first) as (keyof Living)[])
    over(kind, first[kind], last[kind], kind in allowed ? allowed[kind as 'nodes'] : 0)
  for (const who of ['companion', 'service'] as const)
    over(`sockets of the ${who}`, first[who], last[who], allowed.sockets)
  console.log(
    JSON.stringify({
      soak: 'players',
      lived,
      minutes: round((performance.now() - begun) / 60_000),
      first,
      last,
      heap: growthOf(readings),
      faults,
    }),
  )
} finally {
  await encoder.stop('SIGKILL')
  await browser.close()
  companion.close()
  await app.dispose()
}
process.exitCode = faults.length > 0 ? 1 : 0
