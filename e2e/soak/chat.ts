import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import { percentile, processFigures } from '../../bench/measurement.ts'
import { speakingLimits } from '../../contract/link/rooms.ts'
import { startApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { followNewest, pageState, scrollFrames, takeTasks, watchTasks, type PageState } from './chat-page.ts'
import { openSpeakers } from './chat-speakers.ts'
import { growthOf, round, serviceOf } from './growth.ts'

/**
 * A room that is full of people, in the app's own page in Chromium: first 50 lines a second for 30 s into 10,000 that are there, then 10,000 lines a minute for
 * `--minutes`, scrolling now and then. Tells tasks above 50 ms, row nodes, lines kept, frames a second while scrolling, and by how much the memory
 * of page, companion and service grows. One JSON line with the figures; ends with 1 when lines or rows are more than allowed.
 * `node e2e/soak/chat.ts [--minutes 5] [--preload 10000] [--rate 10000]`
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    preload: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '10000' },
  },
})
const [minutes, preload, rate] = [Number(values.minutes), Number(values.preload), Number(values.rate) / 60]
const allowed = { rows: 119, lines: 10_000 } as const
const preloadRate = 500
const speakers = preloadRate / speakingLimits.account.lines.perSecond

interface Sample extends PageState {
  readonly minute: number
  readonly companion: number
  readonly service: number
}
const app = await startApp()
const companion = await openCompanion(app)
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
const faults: string[] = []
try {
  const { roomid } = await companion.rpc.rooms.create({
    profileId: 'local',
    accid: 'host',
    name: 'A full room',
    announcement: '',
  })
  const accounts = Array.from({ length: speakers }, (_, index) => ({ accid: `speaker${index}`, token: 'of-the-soak' }))
  for (const { accid, token } of accounts) await companion.call('/user/create.action', { accid, name: accid, token })

  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.on('pageerror', (error) => faults.push(`the page threw: ${error.message}`))
  await page.goto(await app.link())
  await page.getByText('Service running', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await page.getByRole('log').waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const room = await openSpeakers(app.ready.service, accounts, roomid)

  console.error(`${preload} lines are put in`)
  await room.say(preload, preloadRate)
  await page.waitForTimeout(2000)
  await watchTasks(page)
  console.error('50 lines a second for 30 s')
  await room.say(1500, 50)
  await page.waitForTimeout(500)
  const steady = await takeTasks(page)
  const full = await pageState(page, session)
  const measure = {
    tasksOver50: steady.tasks.length,
    longest: round(Math.max(0, ...steady.tasks)),
    rows: steady.rows,
    lines: full.lines,
    reached: steady.tasks.length === 0 && steady.rows <= allowed.rows,
  }
  console.error(JSON.stringify(measure))

  const pids = { companion: app.process.pid!, service: serviceOf(app.process.pid!) }
  const samples: Sample[] = []
  const frames: number[] = []
  const tasks: number[] = []
  let rows = steady.rows
  const begun = performance.now()
  const minute = (): number => (performance.now() - begun) / 60_000
  let speaking = true
  const all = room.say(Math.round(rate * 60 * minutes), rate).finally(() => (speaking = false))
  // An early end is told where it is waited for.
  all.catch(() => undefined)
  while (speaking) {
    frames.push(...(await scrollFrames(page, 4)))
    await followNewest(page)
    await page.waitForTimeout(4000)
    const taken = await takeTasks(page)
    tasks.push(...taken.tasks)
    rows = Math.max(rows, taken.rows)
    const sample = {
      ...(await pageState(page, session)),
      minute: minute(),
      companion: processFigures(pids.companion).memory,
      service: processFigures(pids.service).memory,
    }
    samples.push(sample)
    console.error(
      JSON.stringify({
        minute: round(sample.minute),
        heap: round(sample.heap),
        companion: sample.companion,
        service: sample.service,
        said: room.said(),
      }),
    )
  }
  await all
  room.close()

  const lines = Math.max(full.lines, ...samples.map((sample) => sample.lines))
  if (lines > allowed.lines || lines < 0) faults.push(`the page kept ${lines} lines`)
  if (rows > allowed.rows) faults.push(`${rows} row nodes stood in the page`)
  const grown = (of: (sample: Sample) => number) =>
    growthOf(samples.map((sample) => ({ minute: sample.minute, value: of(sample) })))
  console.log(
    JSON.stringify({
      soak: 'chat',
      measure,
      minutes,
      said: room.said(),
      rows,
      lines,
      framesPerSecond: { p5: percentile(frames, 0.05), median: percentile(frames, 0.5) },
      tasksOver50: tasks.length,
      longest: round(Math.max(0, ...tasks)),
      memory: {
        page: grown(({ heap }) => heap),
        nodes: grown(({ nodes }) => nodes),
        companion: grown((sample) => sample.companion),
        service: grown((sample) => sample.service),
      },
      faults,
    }),
  )
} finally {
  await browser.close()
  companion.close()
  await app.dispose()
}
process.exitCode = faults.length > 0 ? 1 : 0
