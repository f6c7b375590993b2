import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import WebSocket from 'ws'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import { encodeFixture } from '../../service/hub/testing/fixture.ts'
import { startRooms, type RoomRig } from '../../service/rooms/testing/rig.ts'
import { startPublisher } from '../../service/testing/publisher.ts'
import { listFile } from '../../service/recording/testing/listed-file.ts'
import { testCredentials } from '../../service/testing/start-service.ts'
import { codeBlocks, readPages } from './pages.ts'

/** Runs the proxies of the guide's page as they stand there, with other ports and paths, in front of a service. */
const blocks = codeBlocks(readPages('docs/guide/en/service-alone.md')[0]!)
const snippet = (language: string): string => blocks.find((block) => block.language === language)!.code
const host = 'live.example.com'
const origin = `https://${host}`

let folder: string
let rig: RoomRig
let proxy: ChildProcess
/** Where nginx listens instead of port 80. */
let plainPort: number
afterEach(async () => {
  const ended = once(proxy, 'exit')
  proxy.kill('SIGTERM')
  await ended
  await rig.close()
  rmSync(folder, { recursive: true, force: true })
})

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

interface Answer {
  readonly status: number
  readonly text: string
}
/** Asks the proxy over TLS from an address of this computer; of an endless answer the first bytes. */
const ask = (
  port: number,
  at: string,
  {
    method = 'GET',
    headers = {},
    body,
    from = '127.0.0.1',
  }: { method?: string; headers?: Record<string, string>; body?: string; from?: string } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path: at,
        method,
        headers: { host, ...headers },
        servername: host,
        localAddress: from,
        rejectUnauthorized: false,
        agent: false,
      },
      (answer) => {
        let text = ''
        const done = (): void => resolve({ status: answer.statusCode ?? 0, text })
        answer.setEncoding('latin1')
        answer.on('data', (part: string) => {
          text += part
          if (!at.endsWith('.flv') || text.length < 1000) return
          done()
          outgoing.destroy()
        })
        answer.on('end', done)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Starts a proxy with the text of the guide, or with the one that the service writes for it. */
async function begin(language: 'nginx' | 'caddy' | 'haproxy', rtmpPort: number, isWritten = false): Promise<number> {
  const port = await freePort()
  plainPort = await freePort()
  const root = `${origin}:${port}`
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-proxy-'))
  rig = await startRooms({
    publicAddresses: {
      ...(isWritten ? { media: root, api: root } : { media: origin }),
      ...(language === 'haproxy' && { rtmp: `rtmp://${host}:${rtmpPort}` }),
    },
    trustedProxies: ['127.0.0.1', '::1'],
  })
  const { api, media, rtmp } = rig.service.listening
  const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')]
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject],
    { stdio: 'ignore' },
  )
  const written = isWritten ? (await rig.call(local.proxySnippet, { server: language })).ret!.text : undefined
  const text = (written ?? snippet(language))
    .replace('127.0.0.1:8710', `127.0.0.1:${api}`)
    .replace('127.0.0.1:8711', `127.0.0.1:${media}`)
    .replace('127.0.0.1:1936', `127.0.0.1:${rtmp}`)
  const file = path.join(folder, 'proxy.conf')
  if (language === 'nginx') {
    for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(path.join(folder, name))
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${path.join(folder, name)};`)
      .join('\n')
    const server = text
      .replaceAll(/listen \[::\].*\n/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace(/listen \d+ ssl/, `listen 127.0.0.1:${port} ssl`)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    writeFileSync(
      file,
      `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places}\n${server}}\n`,
    )
    proxy = spawn('/usr/sbin/nginx', ['-c', file, '-p', folder, '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } else if (language === 'haproxy') {
    const both = path.join(folder, 'both.pem')
    writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
    const places = text
      .replace(':443', `127.0.0.1:${port}`)
      .replace(':1935', `127.0.0.1:${rtmpPort}`)
      .replace('/etc/ssl/live.example.com.pem', both)
    writeFileSync(file, places)
    proxy = spawn('/usr/sbin/haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  } else {
    const site = text.replace(
      /^(?:https:\/\/)?live\.example\.com(?::\d+)? \{/m,
      `${origin}:${port} {\n  bind 127.0.0.1\n  tls ${certificate} ${key}`,
    )
    writeFileSync(file, `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`)
    proxy = spawn('/usr/bin/caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
      stdio: 'ignore',
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    })
  }
  await expect.poll(async () => (await ask(port, '/').catch(() => undefined))?.status, { timeout: 30_000 }).toBe(404)
  return port
}

it.each(['nginx', 'caddy', 'haproxy'] as const)(
  '%s carries calls, page, chat and picture, and each viewer has the own limits',
  async (language) => {
    const port = await begin(language, await freePort())
    const headers = { ...rig.sign(), 'content-type': 'application/json' }
    const listed = await ask(port, live.list.path, { method: 'POST', headers, body: '{}' })
    expect(JSON.parse(listed.text)).toMatchObject({ code: 200 })

    const { cid, pushUrl } = (await rig.call(live.create, { name: 'show' })).ret!
    const vid = await listFile(rig, cid, Date.now(), { format: 0, bytes: Buffer.from('the film') })
    const { url } = (await rig.call(local.playbackTicket, { vid })).ret!
    expect(await ask(port, new URL(url).pathname)).toEqual({ status: 200, text: 'the film' })
    const roomid = await rig.room()
    await rig.call(local.linkRoom, { cid, roomid })
    const fixture = await encodeFixture(folder, 'push', { duration: 20, gop: 30 })
    const publisher = startPublisher(pushUrl.replace(host, '127.0.0.1'), fixture)
    try {
      const state = async () =>
        JSON.parse((await ask(port, `/watch/${cid}/state`)).text) as { live: boolean; flv?: string; hls?: string }
      await expect.poll(async () => (await state()).live, { timeout: 30_000 }).toBe(true)
      expect((await ask(port, `/live/${cid}.flv`)).text.slice(0, 3)).toBe('FLV')
      expect((await ask(port, `/live/${cid}/playlist.m3u8`)).text).toMatch(/^#EXTM3U/)
    } finally {
      await publisher.stop()
    }

    const guests: Answer[] = []
    for (let viewer = 2; viewer < 32; viewer++)
      guests.push(
        await ask(port, `/watch/${cid}/guest`, {
          method: 'POST',
          headers: { origin, 'content-length': '0' },
          from: `127.0.0.${viewer}`,
        }),
      )
    expect(guests.map(({ status }) => status)).toEqual(Array<number>(30).fill(201))

    const { accid, token } = JSON.parse(guests[0]!.text) as WatchGuest
    // Not in the library's types, though TLS takes it: Caddy finds its site by this name.
    const named = { rejectUnauthorized: false, headers: { host }, origin, servername: host }
    const socket = new WebSocket(`wss://127.0.0.1:${port}/link`, named)
    const frames: Record<string, unknown>[] = []
    socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8')) as Record<string, unknown>))
    await once(socket, 'open')
    socket.send(
      JSON.stringify({
        t: 'login',
        id: 1,
        appKey: testCredentials.appKey,
        accid,
        token,
        device: 'd',
        clientType: 'WEB',
      }),
    )
    await expect.poll(() => frames.find((frame) => frame['id'] === 1)).toMatchObject({ t: 'ok' })
    socket.send(JSON.stringify({ t: 'roomEnter', id: 2, roomid, nick: 'kestrel' }))
    await expect.poll(() => frames.find((frame) => frame['id'] === 2)).toMatchObject({ t: 'ok' })
    socket.send(JSON.stringify({ t: 'roomSend', id: 3, roomid, type: 0, attach: 'hello', clientId: 'a' }))
    await expect.poll(() => frames.find((frame) => frame['id'] === 3)).toMatchObject({ t: 'ok' })
    socket.terminate()
  },
  120_000,
)

it('nginx leads from HTTP to HTTPS, on IPv6 too, and answers HTML where the service does not', async () => {
  const port = await begin('nginx', await freePort())
  const led = await fetch(`http://127.0.0.1:${plainPort}/watch/a?b=1`, { redirect: 'manual' })
  expect([led.status, led.headers.get('location')]).toEqual([301, 'https://127.0.0.1/watch/a?b=1'])
  const listens = (line: string): string[] => snippet('nginx').match(new RegExp(`listen ${line}`, 'g')) ?? []
  expect(listens(String.raw`\[::\]:\d+(?: ssl)?;`).map((line) => line.replace('[::]:', ''))).toEqual(
    listens(String.raw`\d+(?: ssl)?;`),
  )

  const headers = { ...rig.sign(), 'content-length': String(48 * 1024 * 1024 + 1) }
  const tooLarge = await ask(port, live.list.path, { method: 'POST', headers })
  expect([tooLarge.status, tooLarge.text]).toEqual([413, expect.stringContaining('<html>')])
  await rig.service.close()
  const gone = await ask(port, live.list.path, { method: 'POST', headers: rig.sign() })
  expect([gone.status, gone.text]).toEqual([502, expect.stringContaining('<html>')])
}, 60_000)

it.each(['nginx', 'caddy'] as const)(
  '%s carries calls with the configuration that the service writes',
  async (language) => {
    const port = await begin(language, await freePort(), true)
    for (const { path: at } of [live.list, local.info]) {
      const headers = { ...rig.sign(), 'content-type': 'application/json' }
      const { text } = await ask(port, at, { method: 'POST', headers, body: '{}' })
      expect(JSON.parse(text)).toMatchObject({ code: 200 })
    }
  },
  60_000,
)
