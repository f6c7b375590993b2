import { Agent, get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { nodesOf, push, type Encoder, type Nodes } from '../onair/testing/nodes.ts'
import { freePort } from '../targets/testing/nginx-target.ts'
import { until } from '../testing/condition.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { TestService } from '../testing/start-service.ts'
import { isNginxThere, startNginxEdge, type NginxEdge } from './testing/nginx-edge.ts'

const viewers = 150
/** How long each of them plays, and how often it asks, in ms. */
const length = 5000
const every = 500

const itWithNginx = it.runIf(isNginxThere())

describeOnRedis('an edge of stock nginx for HLS', () => {
  let nodes: Nodes
  let a: TestService
  let b: TestService
  let edge: NginxEdge
  let port: number
  const agent = new Agent({ keepAlive: true, maxSockets: viewers })
  const encoders: Encoder[] = []
  beforeAll(async () => {
    nodes = await nodesOf()
    a = await nodes.start('a', { trustedProxies: ['127.0.0.1'] })
    b = await nodes.start('b', { trustedProxies: ['127.0.0.1'] })
    if (!isNginxThere()) return
    port = await freePort()
    edge = await startNginxEdge('nginx-hls.conf', {
      '127.0.0.1:8080': `127.0.0.1:${port}`,
      '127.0.0.1:8081': `127.0.0.1:${await freePort()}`,
      // That has no push.
      '127.0.0.1:8711': `127.0.0.1:${b.service.listening.media}`,
      'live.example.com': `127.0.0.1:${b.service.listening.media}`,
    })
  })
  afterAll(async () => {
    agent.destroy()
    for (const encoder of encoders) encoder.close()
    await edge?.stop()
    await nodes.close()
  })
  /** A channel on air at the other node, which this one knows. */
  const onAir = async (name: string): Promise<{ cid: string; pushUrl: string; encoder: Encoder }> => {
    const channel = await nodes.channel(name)
    return { ...channel, encoder: await pushed(channel) }
  }
  const pushed = async ({ cid, pushUrl }: { cid: string; pushUrl: string }): Promise<Encoder> => {
    const { encoder } = await push(a.service.listening.rtmp, pushUrl)
    encoders.push(encoder)
    await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
    return encoder
  }
  type Answer = { readonly status: number; readonly text: string }
  const askAt = (at: number, path: string, headers: Record<string, string>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      get({ port: at, path: `/live/${path}`, agent, headers }, (answer) => {
        let text = ''
        answer.setEncoding('latin1').on('data', (part: string) => (text += part))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      }).once('error', reject)
    })
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> => askAt(port, path, headers)
  /** As the node of the push has it now. */
  const atOwner = (path: string): Promise<Answer> =>
    askAt(a.service.listening.media, path, { 'x-forwarded-for': '198.51.100.7' })
  const many = <T>(one: () => Promise<T>, count = 20): Promise<T[]> => Promise.all(Array.from({ length: count }, one))
  /** A playlist is kept within one. */
  const nextSecond = (): Promise<boolean> => {
    const second = Math.floor(Date.now() / 1000)
    return until('the next second', () => Math.floor(Date.now() / 1000) > second)
  }
  const filesOf = ({ text }: Answer): string[] => text.split('\n').filter((line) => /^[^#\s]/.test(line))
  const firstOf = ({ text }: Answer): number => Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1])

  itWithNginx('asks the nodes once for each playlist and each segment, however many play', async () => {
    const { cid } = await onAir('played')
    await eventually(async () => expect((await ask(`${cid}/playlist.m3u8`)).text).toContain('#EXTINF'))
    const before = edge.log().length
    const statuses: number[] = []
    const began = performance.now()
    const view = async (n: number): Promise<void> => {
      const seen = new Set<string>()
      await new Promise((resolve) => setTimeout(resolve, (n * every) / viewers))
      while (performance.now() - began < length) {
        const next = performance.now() + every
        const playlist = await ask(`${cid}/playlist.m3u8`)
        statuses.push(playlist.status)
        if (playlist.status !== 200) return
        for (const file of filesOf(playlist).slice(-2))
          if (!seen.has(file)) {
            seen.add(file)
            statuses.push((await ask(`${cid}/${file}`)).status)
          }
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())))
      }
    }
    await Promise.all(Array.from({ length: viewers }, (_, n) => view(n)))
    const took = (performance.now() - began) / 1000
    // Each line is what no cache answered.
    const asked = edge.log().slice(before)
    const files = asked.filter((line) => !line.endsWith('.m3u8'))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(statuses.length).toBeGreaterThan(viewers * 4)
    expect(asked.length - files.length).toBeLessThanOrEqual(Math.ceil(took) + 1)
    expect(files.length).toBe(new Set(files).size)
    expect(files.length).toBeLessThan(10)
    expect(edge.errors()).not.toContain('[crit]')
  })

  itWithNginx('gives nobody a playlist of before, however many come at once', async () => {
    const channel = await onAir('renewed')
    const playlist = `${channel.cid}/playlist.m3u8`
    await eventually(async () => expect((await ask(playlist)).text).toContain('#EXTINF'))
    const sizeOf = (answer: Answer): number => firstOf(answer) + filesOf(answer).length
    const before = sizeOf(await ask(playlist))
    await eventually(async () => expect(sizeOf(await atOwner(playlist))).toBeGreaterThan(before + 2))
    const now = sizeOf(await atOwner(playlist))
    for (const answer of await many(() => ask(playlist))) expect(sizeOf(answer)).toBeGreaterThanOrEqual(now)
    // Nor that of a push that ended, once another one began.
    channel.encoder.close()
    await eventually(async () => expect((await ask(playlist)).text).not.toContain('#EXTINF'))
    await pushed(channel)
    await eventually(async () => expect((await atOwner(playlist)).text).toContain('#EXTINF'))
    await nextSecond()
    for (const { status, text } of await many(() => ask(playlist))) {
      expect(status).toBe(200)
      expect(text).toContain('#EXTINF')
    }
  })

  itWithNginx('gives a channel that not everybody may watch to those alone who may', async () => {
    const { cid } = await onAir('closed')
    const playlist = `${cid}/playlist.m3u8`
    await eventually(async () => expect((await ask(playlist)).text).toContain('#EXTINF'))
    await b.call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'open sesame' })
    await eventually(async () => expect((await atOwner(playlist)).status).toBe(401))
    await eventually(async () => expect((await ask(playlist)).status).toBe(401))
    const { url } = (await b.call(local.addNamedLink, { cid, name: 'Ann' })).ret!
    const link = `?link=${url.slice(url.lastIndexOf('/') + 1)}`
    const basic = { authorization: `Basic ${Buffer.from(':open sesame').toString('base64')}` }
    for (const [query, headers] of [
      [link, {}],
      ['', basic],
    ] as const) {
      const mine = (): Promise<Answer> => ask(`${playlist}${query}`, headers)
      await eventually(async () => expect((await mine()).status).toBe(200))
      // Made since then; a stranger may know its name.
      const known = new Set(filesOf(await mine()))
      const fresh = await eventually(async () => {
        const file = filesOf(await mine()).find((each) => !known.has(each))
        expect(file).toBeDefined()
        return file!
      })
      const [name] = fresh.split('?')
      const both = await Promise.all([
        many(() => ask(`${cid}/${fresh}`, headers)),
        many(() => ask(`${cid}/${name}`), 3),
      ])
      expect(both.map((answers) => [...new Set(answers.map(({ status }) => status))])).toEqual([[200], [401]])
      expect((await ask(`${cid}/${name}`)).status).toBe(401)
      expect(new Set((await many(() => ask(playlist))).map(({ status }) => status))).toEqual(new Set([401]))
    }
    // However the link is written, what it brings is given to nobody else.
    const written = link.replace('link', 'l%69nk')
    for (let round = 0; round < 3; round++) {
      await nextSecond()
      await eventually(async () => expect((await ask(`${playlist}${written}`)).status).toBe(200))
      expect(new Set((await many(() => ask(playlist))).map(({ status }) => status))).toEqual(new Set([401]))
    }
    // Everybody may again, by what was kept nowhere meanwhile.
    await b.call(local.updateAccess, { cid, mode: 'everybody' })
    await eventually(async () => expect((await ask(playlist)).status).toBe(200))
  })
})
