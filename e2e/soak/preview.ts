import { parseArgs } from 'node:util'
import { chromium, type CDPSession, type Page } from 'playwright'
import { percentile } from '../../bench/measurement.ts'
import { startApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { startEncoder } from '../encoder.ts'
import { growthOf, ownMemory, round, serviceOf } from './growth.ts'
import {
  browserProcesses,
  makeHidden,
  openSession,
  previewState,
  watchPreview,
  type PreviewState,
} from './preview-page.ts'

/**
 * The preview of a real push for as long as is asked for: by HTTP-FLV and by HLS at once in Chromium, and by HTTP-FLV in a page that is
 * hidden and is frozen by the browser now and then. Tells delays, stalls, and by how much the memory of pages, browser, companion and
 * service grows. One JSON line with the figures; ends with 1 when a bound is broken. `node e2e/soak/preview.ts [--minutes 5] [--every 10]`
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, every: { type: 'string', default: '10' } },
})
const [minutes, every] = [Number(values.minutes), Number(values.every) * 1000]
/** Delay in s at 95 of 100 looks; share of the time that a picture may stand still; MB that the settled part of a run may add, however long it was. */
const allowed = { delay: { flv: 3, hls: 9, hidden: 6 }, still: 0.01, heap: 24, own: 100, nodes: 500 } as const
/** The hidden page is frozen for this long, once in this many samples. */
const [frozenFor, frozenEvery] = [20_000, 12]
type Name = keyof typeof allowed.delay

/** Whose memory is read. */
const whose = ['pages', 'screen', 'network', 'browser', 'companion', 'service'] as const
type Who = (typeof whose)[number]

interface Sample {
  readonly minute: number
  readonly previews: Readonly<Record<Name, PreviewState>>
  readonly memory: Readonly<Record<Who, number>>
}
interface Watched {
  readonly page: Page
  readonly session: CDPSession
}

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
const faults: string[] = []
const profileId = 'local'
const { cid } = await companion.rpc.channels.create({ profileId, name: 'Soak' })
const { text: pushUrl } = await companion.rpc.push.copy({ profileId, cid, part: 'url' })
if (pushUrl === null) throw new Error('no push address')
const encoder = startEncoder(pushUrl)
let ended = false
encoder.exited.then(() => (ended = true)).catch((error: unknown) => faults.push(`the encoder: ${String(error)}`))

async function open(name: Name): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`${name}: the page threw: ${error.message}`))
  if (name === 'hidden') await makeHidden(page)
  await page.goto(await app.link())
  await page.getByText('Service running', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Channels' }).click()
  await page.getByRole('region', { name: 'Channels' }).getByRole('link', { name: 'Soak', exact: true }).click()
  if (name === 'hls') await page.getByText('HLS, compatible').click()
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 2)
  await watchPreview(page)
  return { page, session: await openSession(context, page) }
}

try {
  const pages: Readonly<Record<Name, Watched>> = {
    flv: await open('flv'),
    hls: await open('hls'),
    hidden: await open('hidden'),
  }
  const service = serviceOf(app.process.pid!)
  const memoryNow = async (): Promise<Sample['memory']> => {
    const pids: Readonly<Record<Who, readonly number[]>> = {
      ...(await browserProcesses(browser)),
      companion: [app.process.pid!],
      service: [service],
    }
    const sum = (who: Who): number => round(pids[who].reduce((all, pid) => all + ownMemory(pid), 0))
    return Object.fromEntries(whose.map((who) => [who, sum(who)] as const)) as Record<Who, number>
  }
  const samples: Sample[] = []
  const begun = performance.now()
  for (let turn = 1; performance.now() - begun < minutes * 60_000 && !ended; turn++) {
    await pages.flv.page.waitForTimeout(every)
    const state = ({ page, session }: Watched): Promise<PreviewState> => previewState(page, session, encoder.origin)
    const previews = { flv: await state(pages.flv), hls: await state(pages.hls), hidden: await state(pages.hidden) }
    const sample = { minute: (performance.now() - begun) / 60_000, previews, memory: await memoryNow() }
    samples.push(sample)
    const short = (Object.keys(previews) as Name[]).map(
      (name) => [name, { delay: previews[name].delay, heap: round(previews[name].heap) }] as const,
    )
    console.error(JSON.stringify({ minute: round(sample.minute), ...Object.fromEntries(short), ...sample.memory }))
    if (turn % frozenEvery !== 0) continue
    await pages.hidden.session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await pages.flv.page.waitForTimeout(frozenFor)
    await pages.hidden.session.send('Page.setWebLifecycleState', { state: 'active' })
  }
  if (ended) faults.push(`the encoder ended: ${encoder.log()}`)

  const over = (what: string, value: number, most: number): void => {
    // A run that is too short has no line to go by.
    if (value > most) faults.push(`${what}: ${value}, at most ${most}`)
  }
  const growth = (of: (sample: Sample) => number) =>
    growthOf(samples.map((sample) => ({ minute: sample.minute, value: of(sample) })))
  const report = (name: Name) => {
    const states = samples.map(({ previews }) => previews[name])
    const delays = states.flatMap(({ delay }) => (delay === null ? [] : [delay]))
    const last = states.at(-1)!
    const figures = {
      delay: {
        median: round(percentile(delays, 0.5), 2),
        p95: round(percentile(delays, 0.95), 2),
        worst: round(Math.max(...delays), 2),
      },
      pictures: `${delays.length} of ${states.length}`,
      waits: last.waits,
      waited: round(last.waited),
      behind: round(last.behind),
      begun: last.begun,
      buffered: round(Math.max(...states.map(({ buffered }) => buffered))),
      heap: growth(({ previews }) => previews[name].heap),
      nodes: growth(({ previews }) => previews[name].nodes),
      listeners: growth(({ previews }) => previews[name].listeners),
    }
    over(`${name}: delay in s`, figures.delay.p95, allowed.delay[name])
    over(`${name}: growth of the heap in MB`, figures.heap.grown, allowed.heap)
    over(`${name}: growth in nodes`, figures.nodes.grown, allowed.nodes)
    if (delays.length === 0) faults.push(`${name}: never a picture`)
    // What was frozen ran dry and begins anew.
    if (name !== 'hidden') {
      over(`${name}: times begun anew`, figures.begun, 0)
      over(`${name}: share of time without a moving picture`, round(figures.waited / (minutes * 60), 4), allowed.still)
      over(`${name}: seconds behind the wall clock`, Math.abs(figures.behind), allowed.delay[name])
    }
    return figures
  }
  const memory = Object.fromEntries(whose.map((who) => [who, growth((sample) => sample.memory[who])] as const))
  for (const [who, { grown }] of Object.entries(memory)) over(`growth of ${who} in MB`, grown, allowed.own)
  console.log(
    JSON.stringify({
      soak: 'preview',
      minutes,
      samples: samples.length,
      flv: report('flv'),
      hls: report('hls'),
      hidden: report('hidden'),
      memory,
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
