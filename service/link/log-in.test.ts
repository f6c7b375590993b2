import { systemClock } from '../../platform/clock.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { diskWords } from '../disk-words.ts'
import { createLog, silentLog } from '../log.ts'
import { machinePace } from '../testing/machine-pace.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest } from '../testing/http-request.ts'
import { promised } from '../testing/machine-pace.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { forgetOldRecords } from './login-audit.ts'
import { openRaw } from './testing/raw-client.ts'
import { startRig, type LinkRig } from './testing/rig.ts'

let rig: LinkRig
afterEach(() => rig.close())

const begin = async (options: Parameters<typeof startRig>[0] = {}): Promise<void> => {
  rig = await startRig(options)
  rig.add('ann', 'bob')
}

describe('the first frame of a link', () => {
  it('opens a session when it is a valid login, whatever the case of the accid', async () => {
    await begin()
    const raw = await openRaw(rig.url)
    const answer = await raw.ask('login', rig.credentials('ann', { accid: 'ANN' }))
    expect(answer).toMatchObject({ t: 'ok', accid: 'ann', seq: 0, unread: 0, donnop: false, others: [] })
    expect(raw.socket.extensions).toBe('')
    expect(await raw.ask('ping', {})).toMatchObject({ t: 'ok' })
  })

  it.each([
    ['another kind', JSON.stringify({ t: 'ping', id: 1 })],
    ['a login without a number', JSON.stringify({ t: 'login', appKey: 'rig-key' })],
    ['no JSON', '{'],
    ['an array', '[]'],
    ['nothing', ''],
    ['a login without members', JSON.stringify({ t: 'login', id: 1 })],
  ])('ends the connection when it is %s', async (_what, text) => {
    await begin()
    const raw = await openRaw(rig.url)
    raw.socket.send(text)
    expect((await raw.closed).code).toBe(4401)
  })

  it('ends the connection when it is binary or followed before it was answered', async () => {
    await begin()
    const binary = await openRaw(rig.url)
    binary.socket.send(Buffer.from(JSON.stringify({ t: 'login', id: 1, ...rig.credentials('ann') })))
    expect((await binary.closed).code).toBe(1003)
    const hasty = await openRaw(rig.url)
    hasty.socket.send(JSON.stringify({ t: 'login', id: 1, ...rig.credentials('ann') }))
    hasty.socket.send(JSON.stringify({ t: 'sync', id: 2, after: 0 }))
    expect((await hasty.closed).code).toBe(4401)
  })

  it('must come within 5 s', async () => {
    const time = manualClock()
    await begin({ clock: { ...systemClock, after: time.after } })
    const raw = await openRaw(rig.url)
    await eventually(() => {
      time.advance(1)
      expect(raw.socket.readyState).toBe(1)
    })
    time.advance(4000)
    expect(await (await openRaw(rig.url)).ask('login', rig.credentials('ann'))).toMatchObject({ t: 'ok' })
    expect(raw.socket.readyState).toBe(1)
    time.advance(1000)
    expect(await raw.closed).toEqual({ code: 4401, reason: 'no log-in in time' })
  })

  it('tells nothing apart without the right token, and keeps the token out of the log', async () => {
    const lines: string[] = []
    await begin({ log: createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } }) })
    const answers = []
    for (const over of [
      { token: 'canary-token' },
      { accid: 'nobody', token: 'canary-token' },
      { appKey: 'other', token: 'canary-token' },
    ]) {
      const raw = await openRaw(`${rig.url}?token=canary-token`)
      const { id: _id, ...answer } = await raw.ask('login', rig.credentials('ann', over))
      answers.push(answer)
      expect((await raw.closed).code).toBe(4401)
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ t: 'error', code: 414 })
    expect(lines.join('')).not.toContain('canary-token')
  })

  it('is refused for a blocked account and a frozen application, only with the right token', async () => {
    await begin()
    rig.accounts.get('ann')!.blocked = true
    expect(await (await openRaw(rig.url)).ask('login', rig.credentials('ann'))).toMatchObject({
      code: 403,
      desc: 'the account is blocked',
    })
    expect(await (await openRaw(rig.url)).ask('login', rig.credentials('ann', { token: 'x' }))).toMatchObject({
      code: 414,
    })
    rig.frozen = true
    expect(await (await openRaw(rig.url)).ask('login', rig.credentials('bob'))).toMatchObject({
      code: 403,
      desc: 'the application is frozen',
    })
  })

  it('waits longer after every failure beyond five, and not at all for others', async () => {
    const time = manualClock()
    await begin({ clock: time })
    const attempt = async (token: string) => {
      const raw = await openRaw(rig.url)
      raw.socket.send(JSON.stringify({ t: 'login', id: 1, ...rig.credentials('ann', { token }) }))
      return raw
    }
    for (let failure = 0; failure < 5; failure++) await (await attempt('wrong')).closed
    const sixth = await attempt(rig.accounts.get('ann')!.token)
    const ping = await new Promise((resolve) => {
      sixth.socket.on('pong', resolve)
      sixth.socket.ping()
    })
    expect(ping).toBeDefined()
    expect(sixth.frames).toEqual([])
    await eventually(() => {
      time.advance(100)
      expect(sixth.frames).toMatchObject([{ t: 'ok' }])
    })
  })

  it('is looked at one after the other when many are tried at once, and no other address waits for it', async () => {
    await begin()
    const begun = performance.now()
    let looked = 0
    const guess = async (): Promise<void> => {
      for (let count = 0; count < 4; count += 1) {
        const raw = await openRaw(rig.url).catch(() => undefined)
        const { code } = (await raw?.ask('login', rig.credentials('ann', { token: `guess ${count}` }))) ?? {}
        if (code === 414) looked += 1
        raw?.socket.terminate()
      }
    }
    const guessing = Promise.all(Array.from({ length: 40 }, guess))
    const honest = performance.now()
    const other = await openRaw(rig.url, { localAddress: '127.0.0.9' })
    expect(await other.ask('login', rig.credentials('ann'))).toMatchObject({ t: 'ok' })
    expect(performance.now() - honest).toBeLessThan(2000 * machinePace())
    await guessing
    expect(looked).toBeLessThan(12 + (performance.now() - begun) / 3000)
  })
})

describe('a connection to the link', () => {
  it('needs a known host, and an origin of the list, its own (the viewers’ page) or none', async () => {
    await begin({ origins: ['http://localhost:5173'] })
    await openRaw(rig.url, { origin: 'http://localhost:5173' })
    await openRaw(rig.url, { origin: `http://127.0.0.1:${rig.port}` })
    for (const origin of [
      'http://localhost:5174',
      'null',
      'http://localhost:5173.evil.example',
      `http://127.0.0.1:${rig.port}0`,
      `https://127.0.0.1:${rig.port}`,
    ])
      await expect(openRaw(rig.url, { origin })).rejects.toThrow('HTTP 403')
    for (const host of ['127.evil.example', 'localhost.evil.example', '[::ffff:127.0.0.1]', `evil.example:${rig.port}`])
      await expect(openRaw(rig.url, { headers: { host } })).rejects.toThrow('HTTP 403')
    const upgrade = [
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
    ] as const
    expect(
      (await httpRequest(`http://127.0.0.1:${rig.port}/elsewhere`, { method: 'GET', headers: upgrade })).status,
    ).toBe(404)
    expect((await httpRequest(`http://127.0.0.1:${rig.port}/link`, { method: 'GET', headers: upgrade })).status).toBe(
      400,
    )
    expect((await httpRequest(`http://127.0.0.1:${rig.port}/link`, { method: 'GET' })).status).toBe(404)
  })

  it('is one of at most 128 of its address that have not logged in', async () => {
    await begin()
    const open = await Promise.all(Array.from({ length: 128 }, () => openRaw(rig.url)))
    await expect(openRaw(rig.url)).rejects.toThrow('HTTP 503')
    expect(await open[0]!.ask('login', rig.credentials('ann'))).toMatchObject({ t: 'ok' })
    open[1]!.socket.terminate()
    await eventually(async () => expect((await openRaw(rig.url)).socket.readyState).toBe(1))
  })

  it('beyond them, and while the service closes, is refused with 503, why, and when it may come again', async () => {
    await begin()
    const upgrade = [
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
    ] as const
    const ask = async () => {
      const url = `http://127.0.0.1:${rig.port}/link`
      const { status, headers, text } = await httpRequest(url, { method: 'GET', headers: upgrade })
      return [status, headers['retry-after'], JSON.parse(text)]
    }
    await Promise.all(Array.from({ length: 128 }, () => openRaw(rig.url)))
    expect(await ask()).toEqual([503, '1', { code: 503, msg: 'too many connections that have not logged in' }])
    await rig.link.close()
    expect(await ask()).toEqual([503, undefined, { code: 503, msg: 'the service is closing' }])
  })

  it('leaves its place to a new connection until it has logged in', async () => {
    const refusals: string[] = []
    await begin({ bounds: { places: { all: 2, perAddress: 2, perLoopback: 3 }, refusals } })
    const ann = await rig.enter('ann')
    const silent = await openRaw(rig.url)
    const bob = await rig.enter('bob')
    expect((await silent.closed).code).toBe(1006)
    await expect(openRaw(rig.url)).rejects.toThrow('ECONNRESET')
    expect(refusals).toEqual(['idle', 'full'])
    for (const one of [ann, bob]) expect(await one.ask('ping', {})).toMatchObject({ t: 'ok' })
  })

  it('is ended when it shows no sign of life', async () => {
    const time = manualClock()
    await begin({ clock: { ...systemClock, after: time.after } })
    const raw = await rig.enter('ann')
    const other = await rig.enter('bob')
    raw.socket.pause()
    let pings = 0
    other.socket.on('ping', () => pings++)
    for (let round = 1; round <= 3; round++) {
      time.advance(30_000)
      if (round < 3) await eventually(() => expect(pings).toBe(round))
      expect(await other.ask('ping', {})).toMatchObject({ t: 'ok' })
    }
    raw.socket.resume()
    expect((await raw.closed).code).toBe(4408)
    expect(rig.sessions.online(7, 'bob')).toEqual(['WEB'])
    await eventually(() => expect(rig.sessions.online(7, 'ann')).toEqual([]))
  })
})

describe('a second log-in', () => {
  it('puts out the older of the same kind of client, which is told elsewhere', async () => {
    await begin()
    const first = await rig.enter('ann', { device: 'one' })
    const phone = await rig.enter('ann', { device: 'phone', clientType: 'IOS' })
    const second = await openRaw(rig.url)
    const answer = await second.ask('login', rig.credentials('ann', { device: 'two' }))
    expect(answer['others']).toEqual([{ device: 'phone', clientType: 'IOS' }])
    expect(await first.closed).toEqual({ code: 4403, reason: 'elsewhere' })
    expect(first.pushes('kicked')).toEqual([{ t: 'kicked', reason: 'elsewhere' }])
    expect(rig.sessions.online(7, 'ann').sort()).toEqual(['IOS', 'WEB'])
    expect(await phone.ask('ping', {})).toMatchObject({ t: 'ok' })
  })

  it('replaces the same device without a word', async () => {
    await begin()
    const first = await rig.enter('ann')
    await rig.enter('ann', { clientType: 'PC' })
    expect(await first.closed).toEqual({ code: 4403, reason: 'replaced' })
    expect(first.pushes('kicked')).toEqual([])
    expect(rig.sessions.online(7, 'ann')).toEqual(['PC'])
  })
})

describe('a running session', () => {
  it('is dropped in under a second when its account is kicked', async () => {
    await begin()
    const raw = await rig.enter('ann')
    await promised(1000, async () => {
      expect(rig.sessions.kick(7, 'ann', 'blocked')).toBe(1)
      expect(await raw.closed).toEqual({ code: 4403, reason: 'blocked' })
    })
    expect(raw.pushes('kicked')).toEqual([{ t: 'kicked', reason: 'blocked' }])
    const deaf = await rig.enter('bob')
    deaf.socket.pause()
    await promised(1000, async () => {
      rig.sessions.kick(7, 'bob', 'blocked')
      await rig.link.close()
    })
  })

  it('goes on when its account is blocked or gets another token, until the next log-in', async () => {
    await begin()
    const raw = await rig.enter('ann')
    const account = rig.accounts.get('ann')!
    const old = account.token
    account.token = 'new'
    account.blocked = true
    expect(await raw.ask('ping', {})).toMatchObject({ t: 'ok' })
    account.blocked = false
    expect(await (await openRaw(rig.url)).ask('login', rig.credentials('ann', { token: old }))).toMatchObject({
      code: 414,
    })
  })

  it('is refused everything while its application is frozen', async () => {
    await begin()
    const raw = await rig.enter('ann')
    rig.frozen = true
    expect(await raw.ask('send', { scene: 'p2p', to: 'bob', type: 0, body: '{"msg":"x"}' })).toMatchObject({
      t: 'error',
      code: 403,
    })
  })

  it('is told that the service closes, with a code that means: come back', async () => {
    await begin()
    const raw = await rig.enter('ann')
    const fresh = await openRaw(rig.url)
    await rig.link.close()
    expect(await raw.closed).toEqual({ code: 1001, reason: 'closing' })
    expect((await fresh.closed).code).toBe(1001)
    expect(raw.pushes('kicked')).toEqual([{ t: 'kicked', reason: 'closing' }])
    await expect(openRaw(rig.url)).rejects.toThrow('HTTP 503')
  })

  it('leaves no timer behind when the service has closed', async () => {
    const time = manualClock()
    await begin({ clock: { ...systemClock, after: time.after } })
    await rig.enter('ann')
    await openRaw(rig.url)
    expect(time.waiting()).toBeGreaterThan(0)
    await rig.link.close()
    expect(time.waiting()).toBe(0)
  })

  it('is answered 500 where it cannot be stored, with the words of a disk that took nothing', async () => {
    await begin()
    for (const [fault, desc, reason] of [
      [Object.assign(new Error('write'), { code: 'ENOSPC' }), diskWords.full, 'full'],
      [Object.assign(new Error('write'), { code: 'EROFS' }), diskWords.readOnly, 'readOnly'],
      [Object.assign(new Error('write'), { code: 'EIO' }), diskWords.broken, 'broken'],
      [new Error('something else'), 'internal fault', undefined],
    ] as const) {
      Object.assign(rig.stream, { cursor: () => Promise.reject(fault) })
      const raw = await openRaw(rig.url)
      const said = await raw.ask('login', rig.credentials('ann'))
      expect(said).toMatchObject({ t: 'error', code: 500, desc })
      expect((said as { readonly reason?: string }).reason).toBe(reason)
      expect((await raw.closed).code).toBe(1011)
    }
  })

  it('is recorded at its begin and its end, and so are refused log-ins', async () => {
    await begin()
    const raw = await rig.enter('ann', { sdkVersion: '9.1', clientType: 'PC' })
    expect(await raw.ask('logout', {})).toMatchObject({ t: 'ok' })
    expect((await raw.closed).code).toBe(1000)
    await (await openRaw(rig.url)).ask('login', rig.credentials('ann', { token: 'x' }))
    await eventually(() => expect(rig.copied.length).toBe(3))
    await rig.records.settled()
    const found = await rig.records.query({
      uid: 7,
      accid: 'ann',
      begin: 0,
      end: Date.now() + 1000,
      limit: 100,
      ascending: true,
    })
    const client = { uid: 7, accid: 'ann', clientIp: '127.0.0.1' }
    expect(found.map(({ at: _at, ...rest }) => rest)).toEqual([
      { ...client, eventType: 2, code: 200, sdkVersion: '9.1', clientType: 'PC' },
      { ...client, eventType: 3, code: 200, sdkVersion: '9.1', clientType: 'PC' },
      { ...client, eventType: 2, code: 414, sdkVersion: '1', clientType: 'WEB' },
    ])
    expect(rig.copied).toEqual(found)
    const time = manualClock(Date.now() + 1000)
    const end = forgetOldRecords({
      records: rig.records,
      uids: [6, 7],
      days: (uid) => (uid === 7 ? 1 : 0),
      clock: time,
      log: silentLog,
    })
    expect(
      (await rig.records.query({ uid: 7, accid: 'ann', begin: 0, end: time.now(), limit: 100, ascending: true }))
        .length,
    ).toBe(3)
    time.advance(25 * 3_600_000)
    await eventually(async () =>
      expect(
        await rig.records.query({
          uid: 7,
          accid: 'ann',
          begin: 0,
          end: Date.now() + 1000,
          limit: 100,
          ascending: true,
        }),
      ).toEqual([]),
    )
    end()
  })
})
