import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import { chooseRange } from '../../platform/byte-range.ts'
import { killRounds, type SurvivingFile } from '../../service/recording/testing/kill-harness.ts'

/**
 * kill -9 at random moments while FLV and MP4 are recorded and files are merged; after each start everything is compared with the list
 * and the callbacks, and at the end Chromium seeks in every file. `--rounds N --seed N`; one JSON line with the figures, exit code 1 on a fault.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

/** A small generator (mulberry32), so that a run can be repeated. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Seeks in every file in Chromium; gives the largest distance between target and picture in ms, and what did not play. */
async function seekAll(
  files: readonly SurvivingFile[],
): Promise<{ readonly seeks: number; readonly worst: number; readonly faults: string[] }> {
  const player = createRequire(import.meta.url).resolve('flv.js/dist/flv.min.js')
  const server = createServer((request, answer) => {
    const path = request.url === '/flv.js' ? player : files.find(({ vid }) => request.url === `/${vid}`)?.path
    if (!path)
      return void answer
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<script src="/flv.js"></script><video muted playsinline></video>')
    const { size } = statSync(path)
    const range = chooseRange(request.headers.range, size)
    if (range === 'unsatisfiable') return void answer.writeHead(416).end()
    const { from, to } = range === 'all' ? { from: 0, to: size - 1 } : range
    const type = path === player ? 'text/javascript' : path.endsWith('.flv') ? 'video/x-flv' : 'video/mp4'
    answer.writeHead(range === 'all' ? 200 : 206, {
      'content-type': type,
      'content-length': to - from + 1,
      'accept-ranges': 'bytes',
      'content-range': `bytes ${from}-${to}/${size}`,
    })
    createReadStream(path, { start: from, end: to }).pipe(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  const faults: string[] = []
  let worst = 0
  let seeks = 0
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    for (const { vid, format, duration } of files) {
      const targets = [0.85, 0.35].map((share) => (duration / 1000) * share)
      const shown = await page.evaluate(
        async ({ vid, format, targets }) => {
          const old = document.querySelector('video')!
          const video = old.cloneNode() as HTMLVideoElement
          old.replaceWith(video)
          const { flvjs } = globalThis as unknown as {
            flvjs: {
              createPlayer(
                source: object,
                config: object,
              ): { attachMediaElement(video: HTMLVideoElement): void; load(): void; destroy(): void }
            }
          }
          const stream =
            format === 'flv'
              ? flvjs.createPlayer({ type: 'flv', url: `/${vid}` }, { accurateSeek: true, seekType: 'range' })
              : undefined
          const event = (name: string): Promise<void> =>
            new Promise((resolve, reject) => {
              const late = setTimeout(
                () => reject(new Error(`no ${name} within 30 s: ${video.error?.message ?? video.readyState}`)),
                30_000,
              )
              video.addEventListener(name, () => (clearTimeout(late), resolve()), { once: true })
            })
          try {
            const ready = event('loadeddata')
            if (stream) {
              stream.attachMediaElement(video)
              stream.load()
            } else video.src = `/${vid}`
            await ready
            const distances: number[] = []
            let shown = -1
            const watch = (): void =>
              void video.requestVideoFrameCallback((_now, { mediaTime }) => {
                shown = mediaTime
                watch()
              })
            watch()
            for (const target of targets) {
              const seeked = event('seeked')
              video.currentTime = target
              await seeked
              // The picture is shown a moment before or after the event; a loaded machine takes its time.
              for (let wait = 0; wait < 400 && Math.abs(shown - target) > 0.1; wait++)
                await new Promise((resolve) => setTimeout(resolve, 50))
              distances.push(Math.abs(shown - target) * 1000)
            }
            return { distances }
          } catch (error) {
            return { fault: error instanceof Error ? error.message : 'unknown' }
          } finally {
            stream?.destroy()
          }
        },
        { vid, format, targets },
      )
      if ('fault' in shown) faults.push(`${format} ${vid}: ${shown.fault}`)
      else {
        seeks += shown.distances!.length
        worst = Math.max(worst, ...shown.distances!)
        if (Math.max(...shown.distances!) > 100)
          faults.push(`${format} ${vid}: a seek ended ${Math.round(Math.max(...shown.distances!))} ms from its target`)
      }
    }
  } finally {
    await browser.close()
    server.close()
    server.closeAllConnections()
  }
  return { seeks, worst, faults }
}

const seed = Number(values.seed)
console.error(`seed ${seed}`)
const report = await killRounds({
  rounds: Number(values.rounds),
  random: seeded(seed),
  say: (line) => console.error(line),
})
const seeks = await seekAll(report.files)
const missing = [...report.missing].sort((a, b) => a - b)
const { rounds, torn, opened, mergesKilled, listed, calledBack } = report
console.log(
  JSON.stringify({
    seed,
    rounds,
    torn,
    opened,
    mergesKilled,
    listed,
    calledBack,
    missingMedian: Math.round(missing[Math.floor(missing.length / 2)] ?? 0),
    missingMax: Math.round(missing.at(-1) ?? 0),
    seeks: seeks.seeks,
    seekWorst: Math.round(seeks.worst),
    faults: [...report.faults, ...seeks.faults],
  }),
)
report.remove()
process.exitCode = report.faults.length + seeks.faults.length > 0 ? 1 : 0
