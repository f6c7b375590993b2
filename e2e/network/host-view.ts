import { expect, chromium, type Browser, type Locator } from 'playwright/test'
import type { ChildProcess } from 'node:child_process'
import { chromium as browserOptions } from '../chromium.ts'
import { isInside, said, speak } from '../viewer.ts'
import type { HostName, Network } from './hosts.ts'
import type { HomeService } from './home-service.ts'

/** Waits until a picture moves. */
export async function moves(video: Locator): Promise<void> {
  const at = (): Promise<number> => video.evaluate((element: HTMLVideoElement) => element.currentTime)
  await expect.poll(at).toBeGreaterThan(0)
  const before = await at()
  await expect.poll(at).toBeGreaterThan(before + 0.5)
}

/** What hosts of a network get of the channel of a service. */
export type HostView = ReturnType<typeof createHostView>

/** Makes it. */
export function createHostView(network: Network, { cid, roomid, form }: HomeService) {
  const browsers = new Set<Browser>()
  /** What a program in a host gets from an address, with its own words when it fails. */
  const get = (host: HostName, url: string, more: readonly string[] = []): string => {
    try {
      return network.run(host, ['curl', '-sk', '--max-time', '5', ...more, url])
    } catch (error) {
      return `failed: ${String((error as { status?: number }).status)}`
    }
  }
  /** When a program that started ends, in ms since 1970. */
  const endOf = (child: ChildProcess): Promise<number> =>
    new Promise((resolve) => {
      child.once('close', () => resolve(Date.now()))
    })
  /** Opens an address in a browser of a host. */
  async function browse(host: HostName, url: string) {
    const browser = await chromium.launch({
      ...browserOptions,
      executablePath: network.wrapper(host, browserOptions.executablePath ?? chromium.executablePath()),
    })
    browsers.add(browser)
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' })
    const page = await context.newPage()
    const answer = await page.goto(url)
    return { page, context, status: answer?.status() }
  }
  return {
    get,
    endOf,
    stateOf: (host: HostName, root: string): string => get(host, `${root}/watch/${cid}/state`),
    /** Status of a request, without its body. */
    status: (host: HostName, url: string, more: readonly string[] = []): string =>
      get(host, url, ['-o', '/dev/null', '-w', '%{http_code}', ...more]),
    /** Bytes of HTTP-FLV that come within 3 s. */
    flvBytes(host: HostName, root: string, { query = '', basic = '' } = {}): number {
      const user = basic === '' ? '' : `-u ${basic}`
      const shell = `curl -skN --max-time 3 ${user} '${root}/live/${cid}.flv${query}' | wc -c`
      return Number(network.run(host, ['sh', '-c', shell]))
    },
    playlist: (host: HostName, root: string, query = '', more: readonly string[] = []): string =>
      get(host, `${root}/live/${cid}/playlist.m3u8${query}`, more),
    /** Codecs that a player finds over RTMP; empty where it is refused. */
    rtmpCodecs(host: HostName, root: string, query = ''): string[] {
      const probe = ['ffprobe', '-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0']
      try {
        const found = network.run(host, ['timeout', '15', ...probe, `${root}/${cid}${query}`])
        // `unknown` is the stream of metadata.
        return found.match(/^(?:aac|h264)$/gm)?.sort() ?? []
      } catch {
        return []
      }
    },
    /** Starts a player of HTTP-FLV that goes on. */
    playFlv: (host: HostName, root: string, query = ''): ChildProcess =>
      network.start(host, ['curl', '-skN', '-o', '/dev/null', `${root}/live/${cid}.flv${query}`]),
    /** Starts a player of RTMP that goes on. */
    playRtmp: (host: HostName, root: string, query = ''): ChildProcess =>
      network.start(host, ['ffmpeg', '-v', 'error', '-i', `${root}/${cid}${query}`, '-c', 'copy', '-f', 'null', '-']),
    /** Waits until a host has so many connections to a port of the service's. */
    connected: (port: number, count = 1): Promise<void> =>
      expect
        .poll(
          () =>
            network
              .run('home', ['ss', '-Htn', 'state', 'established', 'sport', `= :${port}`])
              .split('\n')
              .filter((line) => line !== '').length,
          { timeout: 30_000 },
        )
        .toBeGreaterThanOrEqual(count),
    /** Status of a request for the client link, which then stays open until curl gives up. */
    upgrade(host: HostName, root: string): string {
      const headers = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
      const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
      const given = [...headers, key].map((header) => `-H '${header}'`).join(' ')
      const shell = `curl -sk --http1.1 --max-time 2 -o /dev/null -w '%{http_code}' ${given} ${root}/link || true`
      return network.run(host, ['sh', '-c', shell])
    },
    browse,
    /** Watches the page in a browser of a host: the picture moves, a line is read, and one is said. */
    async watch(host: HostName, root: string) {
      const { page, context } = await browse(host, `${root}/watch/${cid}`)
      await moves(page.locator('video'))
      const line = `for ${host} by ${root}`
      await isInside(page)
      const fields = { roomid: String(roomid), msgId: line, fromAccid: 'ana', msgType: '0', attach: line }
      expect(form('/chatroom/sendMsg.action', fields).code).toBe(200)
      await expect(said(page)).toContainText(line)
      await speak(page, `heard: ${host}`)
      await expect(said(page)).toContainText(`heard: ${host}`)
      await context.close()
    },
    async close() {
      for (const browser of browsers) await browser.close()
    },
  }
}
