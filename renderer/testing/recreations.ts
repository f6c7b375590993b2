import { fileURLToPath } from 'node:url'
import { chromium, type CDPSession } from 'playwright'
import { startFakeCompanion } from './fake-companion.ts'

/**
 * Makes and destroys the preview's player many times by switching FLV and HLS, and prints what the page holds after each hundred.
 * `node renderer/testing/recreations.ts [times] [--page DIR]`; ends with 1 when memory, nodes, listeners or open streams grow.
 */
const times = Number(process.argv[2] ?? 500)
const flag = process.argv.indexOf('--page')
const pageFolder = flag > 0 ? (process.argv[flag + 1] ?? '') : fileURLToPath(new URL('../../out/renderer', import.meta.url))
const fake = await startFakeCompanion({ scenario: 'full', page: pageFolder, picture: true })
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--autoplay-policy=no-user-gesture-required'],
})

interface Held {
  readonly heapMegabytes: number
  readonly nodes: number
  readonly listeners: number
  readonly streams: number
}

async function held(session: CDPSession): Promise<Held> {
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
  return { heapMegabytes: Math.round(of('JSHeapUsedSize') / 1e5) / 10, nodes: of('Nodes'), listeners: of('JSEventListeners'), streams: fake.streams }
}

let code = 1
try {
  const page = await browser.newPage({ viewport: { width: 1120, height: 700 } })
  await page.goto(`${fake.url}#/studio/7e3a91c40123456789abcdef01234567`)
  const kinds = page.getByRole('radiogroup', { name: 'Preview by' }).getByRole('radio')
  await kinds.first().waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const records: Held[] = []
  for (let n = 1; n <= times; n++) {
    await kinds.nth(n % 2).click()
    await page.waitForTimeout(n % 10 === 0 ? 400 : 40)
    if (n % 100 === 0) {
      const now = await held(session)
      records.push(now)
      process.stdout.write(`${n}: ${JSON.stringify(now)}\n`)
    }
  }
  await kinds.nth(0).click()
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 3, undefined, { timeout: 15_000 })
  const [first] = records
  const last = records.at(-1)
  if (first && last) {
    const grew =
      last.heapMegabytes > first.heapMegabytes + 6 || last.nodes > first.nodes * 1.3 + 200 || last.listeners > first.listeners * 1.3 + 50 || last.streams > 1
    process.stdout.write(grew ? 'it grows\n' : 'nothing is left behind, and the picture still plays\n')
    code = grew ? 1 : 0
  }
} finally {
  await browser.close()
  await fake.close()
}
process.exitCode = code
