import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { get } from 'node:https'
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect, type TLSSocket } from 'node:tls'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { WebSocket } from 'ws'
import { createLog } from '../log.ts'
import { migrations } from '../storage/migrations.ts'
import { nodeSqliteDialect } from '../storage/node-sqlite-dialect.ts'
import type { ReachTable } from '../storage/reach-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { eventually } from '../testing/eventually.ts'
import { certificateFiles, selfSigned } from './testing/certificates.ts'

const certificate = certificateFiles()
let running: TestService

/** A port of the door, as any is taken by the system for a moment. */
const doorOf = async (): Promise<number> => {
  const { ret } = await running.call(local.reach, {})
  return ret!.doors.find(({ name, tls }) => name === 'media' && tls)!.port
}
const freePort = async (): Promise<number> => {
  const { createServer } = await import('node:net')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
/** Status of a request over HTTPS, with the certificate that was shown. */
const ask = (port: number, path: string, host = `127.0.0.1:${port}`) =>
  new Promise<{ status: number; names: string | undefined }>((resolve, reject) => {
    const request = get(
      { host: '127.0.0.1', port, path, headers: { host }, rejectUnauthorized: false, agent: false },
      (answer) => {
        const { subjectaltname: names } = (answer.socket as TLSSocket).getPeerCertificate()
        answer.resume()
        answer.once('end', () => resolve({ status: answer.statusCode!, names }))
      },
    )
    request.on('error', reject)
  })

beforeEach(async () => {
  certificate.write(await selfSigned(['live.example.com', '127.0.0.1']))
})
afterEach(() => running.close())
afterAll(() => certificate.remove())

const { certificateFile, keyFile } = certificate

describe('the reach of a service', () => {
  it('is this computer alone at first, and measured so', async () => {
    running = await startService()
    const { ret } = await running.call(local.checkReach, {})
    expect(ret).toMatchObject({ reach: 'computer', doors: [], encryption: 'none', fixed: [] })
    expect(ret!.results.map(({ reach, state }) => `${reach} ${state}`)).toEqual([
      'computer works',
      'home closed',
      'port closed',
      'proxy closed',
    ])
  })

  it('opens a port with TLS and ends within a second what came through it', async () => {
    running = await startService()
    const port = await freePort()
    const opened = await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
    expect(opened.ret).toMatchObject({
      reach: 'port',
      doors: [{ name: 'media', port, tls: true }],
      encryption: 'unvouched',
      certificate: { names: ['live.example.com', '127.0.0.1'], vouched: false },
    })
    expect(await ask(port, '/watch/assets/none.js')).toMatchObject({ status: 404 })
    const link = new WebSocket(`wss://127.0.0.1:${port}/link`, { rejectUnauthorized: false })
    await once(link, 'open')
    const idle = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(idle, 'secureConnect')
    const half = connectTcp(port, '127.0.0.1')
    await once(half, 'connect')
    const ends = [once(link, 'close'), once(idle, 'close'), once(half, 'close')]
    for (const socket of [link, idle, half]) socket.on('error', () => undefined)
    const before = performance.now()
    expect((await running.call(local.updateReach, { reach: 'computer' })).ret).toMatchObject({ doors: [] })
    await Promise.all(ends)
    expect(performance.now() - before).toBeLessThan(1000)
    await expect(ask(port, '/')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('ends within a second what came through a proxy that is trusted no more, and nothing else', async () => {
    running = await startService()
    const proxied = { reach: 'proxy', publicUrl: 'http://live.example.com' } as const
    await running.call(local.updateReach, { ...proxied, proxies: ['127.0.0.2/32', '127.0.0.3/32'] })
    const { media, rtmp } = running.service.listening
    const through = async (localAddress: string, port: number): Promise<Socket> => {
      const socket = connectTcp({ port, host: '127.0.0.1', localAddress })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      if (port !== media) return socket
      socket.write('GET /watch/none/state HTTP/1.1\r\nhost: live.example.com\r\nx-forwarded-for: 203.0.113.5\r\n\r\n')
      await once(socket, 'data')
      return socket.resume()
    }
    const left = [await through('127.0.0.2', media), await through('127.0.0.2', rtmp)]
    const others = [await through('127.0.0.3', media), await through('127.0.0.4', media)]
    // Not `once` of node:events, which rejects where the connection is reset.
    const ends = left.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    const before = performance.now()
    await running.call(local.updateReach, { proxies: ['127.0.0.3/32'] })
    await Promise.all(ends)
    expect(performance.now() - before).toBeLessThan(1_000)
    for (const socket of others) {
      socket.write('GET / HTTP/1.1\r\nhost: live.example.com\r\n\r\n')
      await once(socket, 'data')
      socket.destroy()
    }
  })

  it('is kept over a restart, and tells its changes', async () => {
    running = await startService()
    const events = await running.events()
    const port = await freePort()
    await running.call(local.updateReach, {
      reach: 'port',
      port,
      certificateFile,
      keyFile,
      publicUrl: 'https://live.example.com/',
    })
    const told = await events.next('reach', ({ reach }) => reach === 'port')
    expect(told).toMatchObject({ url: 'https://live.example.com' })
    events.close()
    await running.stop()
    running = await startService({ dataDir: running.dataDir })
    expect((await running.call(local.reach, {})).ret).toMatchObject({
      reach: 'port',
      url: 'https://live.example.com',
      publicUrl: 'https://live.example.com',
      doors: [{ port, tls: true }],
    })
    expect((await ask(port, '/watch/assets/none.js', 'live.example.com')).status).toBe(404)
    expect((await ask(port, '/watch/assets/none.js', 'other.example.com')).status).toBe(403)
  })

  it('keeps a public address for the port and another for the proxy', async () => {
    running = await startService()
    const port = await freePort()
    const behind = { reach: 'proxy', publicUrl: 'https://radio.example.com' } as const
    await running.call(local.updateReach, behind)
    const { ret } = await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
    expect(ret).not.toHaveProperty('publicUrl')
    expect(new URL(ret!.url).port).toBe(String(port))
    const publicUrl = `https://live.example.com:${port}`
    expect((await running.call(local.updateReach, { publicUrl })).ret).toMatchObject({ url: publicUrl, publicUrl })
    expect((await running.call(local.updateReach, { reach: 'proxy' })).ret).toMatchObject({
      ...behind,
      url: behind.publicUrl,
    })
    await running.call(local.updateReach, { reach: 'port' })
    await running.stop()
    running = await startService({ dataDir: running.dataDir })
    expect((await running.call(local.reach, {})).ret).toMatchObject({ url: publicUrl, publicUrl })
    expect((await running.call(local.updateReach, { reach: 'proxy' })).ret).toMatchObject(behind)
  })

  it('forgets the address of the port in one call with the reach and the port, also after a restart', async () => {
    running = await startService()
    const port = await freePort()
    const publicUrl = `https://live.example.com:${port}`
    const named = await running.call(local.updateReach, { reach: 'port', port, publicUrl })
    expect(named.ret).toMatchObject({ publicUrl })
    const { ret } = await running.call(local.updateReach, { reach: 'port', port, publicUrl: '' })
    expect(ret).not.toHaveProperty('publicUrl')
    await running.stop()
    running = await startService({ dataDir: running.dataDir })
    expect((await running.call(local.reach, {})).ret).not.toHaveProperty('publicUrl')
  })

  it('reads the address that both shared before as that of the reach that was chosen', async () => {
    running = await startService()
    await running.stop()
    // As the version before left it.
    const file = join(running.dataDir, 'sidestage.db')
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    const database = new DatabaseSync(file)
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })
    const provider = { getMigrations: () => Promise.resolve(migrations) }
    const { error } = await new Migrator({ db, provider }).migrateTo('028-hand-holds')
    expect(error).toBeUndefined()
    const publicUrl = 'https://live.example.com:8443'
    const texts = { certificateFile: '', keyFile: '', proxies: '' }
    const port = await freePort()
    const row = { id: 1, reach: 'port', rtmp: 0, publicUrl, port, forward: 0, localName: 0, ...texts } as const
    await db
      .insertInto('reach')
      .values(row as ReachTable)
      .execute()
    await db.destroy()
    running = await startService({ dataDir: running.dataDir })
    expect((await running.call(local.reach, {})).ret).toMatchObject({ reach: 'port', publicUrl })
    expect((await running.call(local.updateReach, { reach: 'proxy' })).ret).not.toHaveProperty('publicUrl')
  })

  it('without a certificate opens no port and says why', async () => {
    running = await startService()
    const port = await freePort()
    await running.call(local.updateReach, { reach: 'port', port })
    const { ret } = await running.call(local.checkReach, {})
    expect(ret!.doors).toEqual([])
    expect(ret!.results.find(({ reach }) => reach === 'port')).toMatchObject({
      state: 'fault',
      reason: 'noCertificate',
    })
  })

  it('answers a change before it is measured, says so, and tells what was measured', async () => {
    running = await startService()
    await running.call(local.checkReach, {})
    const events = await running.events()
    const port = await freePort()
    const { ret } = await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
    expect(ret).toMatchObject({ measuring: true, doors: [{ port }] })
    // Nothing of the reach before.
    expect(new Set(ret!.results.map(({ state }) => state))).toEqual(new Set(['unchecked']))
    const told = await events.next('reach', ({ measuring }) => measuring !== true)
    expect(told.results.find(({ reach }) => reach === 'computer')).toMatchObject({ state: 'works' })
    expect((await running.call(local.reach, {})).ret).not.toHaveProperty('measuring')
    expect((await running.call(local.checkReach, {})).ret).not.toHaveProperty('measuring')
    events.close()
  })

  it('behind a proxy without a public address says that it is missing', async () => {
    running = await startService()
    await running.call(local.updateReach, { reach: 'proxy' })
    const { ret } = await running.call(local.checkReach, {})
    expect(ret).not.toHaveProperty('publicUrl')
    const result = ret!.results.find(({ reach }) => reach === 'proxy')
    expect(result).toMatchObject({ state: 'fault', reason: 'noPublicUrl' })
    expect(result).not.toHaveProperty('url')
    // So this computer is let in whatever is set, until there is one.
    expect(ret!.freeHere).toBe(true)
    const named = await running.call(local.updateReach, { publicUrl: 'https://live.example.com' })
    expect(named.ret!.freeHere).toBe(false)
    // A proxy on this computer that names nobody may pass on others of the home network, too.
    const inner = await running.call(local.updateReach, { publicUrl: 'http://192.168.1.5:8080' })
    expect(inner.ret!.freeHere).toBe(false)
    expect((await running.call(local.updateReach, { reach: 'home' })).ret!.freeHere).toBe(true)
  })

  it('says when its port is taken, and when by itself', async () => {
    running = await startService()
    const { createServer } = await import('node:net')
    const other = createServer().listen(0, '0.0.0.0')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { api, media, rtmp } = running.service.listening
    for (const [port, reason] of [
      [(other.address() as AddressInfo).port, 'taken'],
      [api, 'ownPort'],
      [media, 'ownPort'],
      [rtmp, 'ownPort'],
    ] as const) {
      await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
      const { ret } = await running.call(local.checkReach, {})
      expect(ret!.results.find(({ reach }) => reach === 'port')).toMatchObject({ state: 'fault', reason })
    }
  })

  it('takes no value that it cannot use, and none but from the owner', async () => {
    running = await startService()
    for (const bad of [
      { reach: 'everywhere' },
      { publicUrl: 'ftp://x' },
      { proxies: ['10.0.0.0/64'] },
      { port: 0 },
      { certificateFile: 'a\0b' },
    ])
      expect(await running.send(local.updateReach, JSON.stringify(bad))).toMatchObject({ code: 631 })
    expect(await running.other.call(local.updateReach, { reach: 'home' })).toMatchObject({ code: 631 })
    expect(await running.other.call(local.reach, {})).toMatchObject({ code: 631 })
  })

  it('is as the command line says where that says something', async () => {
    running = await startService({
      tls: { certificateFile, keyFile },
      httpsPort: 0,
      trustedProxies: ['192.0.2.0/24'],
      publicAddresses: { media: 'https://live.example.com' },
    })
    const { ret } = await running.call(local.reach, {})
    expect(ret).toMatchObject({
      reach: 'port',
      url: 'https://live.example.com',
      proxies: ['192.0.2.0/24'],
      fixed: ['reach', 'publicUrl', 'certificate', 'proxies'],
    })
    for (const [change, name] of [
      [{ reach: 'computer' }, '--https-port'],
      [{ port: 8444 }, '--https-port'],
      [{ publicUrl: 'https://other.example.com' }, '--public-url'],
      [{ certificateFile: '/other.pem' }, '--tls-cert'],
      [{ keyFile: '/other.key' }, '--tls-key'],
      [{ proxies: [] as string[] }, '--trust-proxy'],
    ] as const)
      expect(await running.call(local.updateReach, change)).toMatchObject({
        code: 631,
        msg: `${Object.keys(change)[0]} is set by the command line (${name}): change it there and start again`,
      })
    expect(await running.call(local.updateReach, { reach: 'port', rtmp: false })).toMatchObject({ code: 200 })
    expect((await ask(await doorOf(), '/watch/assets/none.js')).status).toBe(404)
  })
})

describe('the certificate of a service', () => {
  it('is in the configuration of a proxy only for a name that it is for', async () => {
    running = await startService()
    const port = await freePort()
    await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
    await running.call(local.updateReach, { reach: 'proxy', publicUrl: 'https://radio.example.com' })
    const made = async (publicUrl: string) =>
      (await running.call(local.proxySnippet, { server: 'nginx', publicUrl })).ret!.text
    expect(await made('https://live.example.com')).toContain(certificateFile)
    expect(await made('https://radio.example.com')).not.toContain(certificateFile)
    expect(await made('https://radio.example.com')).toContain('/etc/letsencrypt/live/radio.example.com/')
  })

  it('is read again when it changes, and a bad one leaves the earlier in use', async () => {
    running = await startService({ tls: { certificateFile, keyFile }, httpsPort: 0 })
    const port = await doorOf()
    expect((await ask(port, '/x')).names).toContain('live.example.com')
    const events = await running.events()
    certificate.write({ ...(await selfSigned(['new.example.com'])), cert: 'damaged' })
    const told = await events.next('reach', ({ certificateFault }) => certificateFault?.reason === 'unreadable')
    expect(told).toMatchObject({ certificate: { names: ['live.example.com', '127.0.0.1'] } })
    expect((await ask(port, '/x')).names).toContain('live.example.com')
    certificate.write(await selfSigned(['new.example.com']))
    await events.next('reach', (now) => now.certificate?.names[0] === 'new.example.com' && !now.certificateFault)
    await eventually(async () => expect((await ask(port, '/x')).names).toContain('new.example.com'))
    events.close()
  })

  it('that cannot be used is refused with its file and the cause, and the earlier one stays', async () => {
    running = await startService()
    const port = await freePort()
    await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
    const other = certificateFiles()
    other.write(await selfSigned(['other.example.com']))
    const absent = `${certificateFile}.none`
    for (const [change, msg] of [
      [{ certificateFile: absent }, `certificateFile: there is no file ${absent}`],
      [{ certificateFile: other.certificateFile }, `keyFile: ${keyFile} is not the key of the certificate`],
      [{ reach: 'computer', keyFile: certificateFile }, `keyFile: ${certificateFile} is no private key in PEM`],
      [{ keyFile: absent }, `keyFile: there is no file ${absent}`],
      [{ certificateFile: keyFile }, `certificateFile: ${keyFile} is no certificate in PEM`],
    ] as const) {
      const refused = await running.call(local.updateReach, change)
      expect(refused).toMatchObject({ code: 631 })
      expect(refused.msg).toBe(msg)
      const { ret } = await running.call(local.reach, {})
      expect(ret).toMatchObject({ reach: 'port', certificate: { names: ['live.example.com', '127.0.0.1'] } })
      expect(ret).not.toHaveProperty('certificateFault')
      expect((await ask(port, '/x')).names).toContain('live.example.com')
    }
    other.remove()
  })

  it('is given with its key: which of the files is missing is said, and nothing is stored', async () => {
    running = await startService()
    const port = await freePort()
    for (const [given, missing] of [
      [{ certificateFile }, 'keyFile'],
      [{ keyFile }, 'certificateFile'],
    ] as const) {
      const refused = await running.call(local.updateReach, { reach: 'port', port, ...given })
      const msg = `${missing} is missing: a certificate and its private key are given together`
      expect(refused).toMatchObject({ code: 631, msg })
      expect((await running.call(local.reach, {})).ret).toMatchObject({ reach: 'computer' })
    }
  })

  it('that is gone at the start is told with its file, without facts of one that is not there', async () => {
    running = await startService()
    const port = await freePort()
    await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
    await running.stop()
    certificate.removeFiles()
    running = await startService({ dataDir: running.dataDir })
    const { ret } = await running.call(local.checkReach, {})
    expect(ret).toMatchObject({ doors: [], certificateFault: { reason: 'absent', file: certificateFile } })
    expect(ret).not.toHaveProperty('certificate')
    expect(ret!.results.find(({ reach }) => reach === 'port')).toMatchObject({
      state: 'fault',
      reason: 'certificate',
      detail: `there is no file ${certificateFile}`,
    })
  })

  it('that comes later opens its door, and one that is mended is used again, both with a line in the log', async () => {
    const lines: string[] = []
    const log = createLog({ destination: { write: (line: string) => void lines.push(line) } })
    const said = (message: string): boolean => lines.some((line) => line.includes(message))
    running = await startService()
    const port = await freePort()
    await running.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
    await running.stop()
    const made = await selfSigned(['live.example.com'])
    certificate.removeFiles()
    running = await startService({ dataDir: running.dataDir, log })
    expect(said('a door was opened')).toBe(false)
    certificate.write(made)
    await eventually(() => expect(said('a door was opened')).toBe(true))
    expect(said('a certificate was read')).toBe(true)
    lines.length = 0
    certificate.write({ ...made, cert: 'damaged' })
    await eventually(() =>
      expect(said('the files of the certificate cannot be used; the earlier one stays in use')).toBe(true),
    )
    certificate.write(made)
    await eventually(() => expect(said('the files of the certificate can be used again')).toBe(true))
  })

  it('lets the api listener leave loopback, which then speaks only HTTPS', async () => {
    const open = { host: '0.0.0.0', port: 0 }
    await expect(startService({ api: open })).rejects.toThrow(/without TLS/)
    const lines: string[] = []
    const log = createLog({ destination: { write: (line: string) => void lines.push(line) } })
    const isWarned = (): boolean => lines.some((line) => line.includes('the certificate does not name'))
    const tls = { certificateFile, keyFile }
    // Callers are told an address of the network, which the certificate does not name, unless another one is given.
    const media = 'https://live.example.com'
    certificate.write(await selfSigned(['live.example.com']))
    running = await startService({ api: open, tls, publicAddresses: { media }, log })
    expect(isWarned()).toBe(true)
    await running.stop()
    lines.length = 0
    running = await startService({ api: open, tls, publicAddresses: { media, api: `${media}:8710` }, log })
    expect(isWarned()).toBe(false)
    certificate.write(await selfSigned(['other.example.com']))
    await eventually(() => expect(isWarned()).toBe(true))
    await running.stop()
    running = await startService({ api: open, tls })
    expect(running.service.ready.baseUrl).toMatch(/^https:/)
    const { api } = running.service.listening
    expect((await ask(api, '/local/service/info')).status).toBe(405)
    const plain = await fetch(`http://127.0.0.1:${api}/local/service/info`)
    expect([plain.status, await plain.json()]).toEqual([
      400,
      { code: 400, msg: 'this port speaks HTTPS: begin the address with https://' },
    ])
  })
})
