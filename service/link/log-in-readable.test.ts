import { systemClock, type Clock } from '../../platform/clock.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { createTimeBudget } from '../http/time-budget.ts'
import { openRaw } from './testing/raw-client.ts'
import { startRig, type LinkRig } from './testing/rig.ts'

describe('a log-in from another computer without TLS', () => {
  let rig: LinkRig
  afterEach(() => rig.close())
  const lan = () => ({ remoteAddress: '192.0.2.8', localAddress: '192.0.2.7' })
  const logIn = async (...over: Parameters<LinkRig['credentials']>) => {
    const raw = await openRaw(rig.url)
    return { raw, answer: await raw.ask('login', rig.credentials(...over)) }
  }

  it('is refused to accounts with 403, for a right token as for a wrong one, and says nothing of the account', async () => {
    const lines: string[] = []
    rig = await startRig({
      ends: lan,
      log: createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
    })
    rig.add('ann')
    rig.accounts.get('ann')!.token = 'canary-token'
    const answers = new Set<string>()
    for (const over of [{}, { token: 'wrong' }, { accid: 'nobody' }, { appKey: 'other' }]) {
      const { raw, answer } = await logIn('ann', over)
      expect(answer).toMatchObject({ t: 'error', code: 403 })
      answers.add(JSON.stringify({ ...answer, id: 0 }))
      expect((await raw.closed).code).toBe(4401)
    }
    expect(answers.size).toBe(1)
    expect(rig.sessions.online(7, 'ann')).toEqual([])
    await rig.records.settled()
    expect(rig.copied).toEqual([])
    expect(lines.join('')).not.toContain('canary-token')
  })

  it('is refused again and again without making the account wait at home', async () => {
    let ends = lan()
    rig = await startRig({ ends: () => ends })
    rig.add('ann')
    for (let attempt = 0; attempt < 8; attempt++) expect((await logIn('ann')).answer).toMatchObject({ code: 403 })
    ends = { remoteAddress: '192.0.2.7', localAddress: '192.0.2.7' }
    expect((await logIn('ann')).answer).toMatchObject({ t: 'ok', accid: 'ann' })
  })

  it('is open to guests, who have the right token', async () => {
    rig = await startRig({ ends: lan, guests: new Set(['guest-1']) })
    rig.add('guest-1')
    expect((await logIn('guest-1')).answer).toMatchObject({ t: 'ok', accid: 'guest-1' })
    expect((await logIn('guest-1', { token: 'wrong' })).answer).toMatchObject({ code: 414 })
  })

  it('is open to accounts where that is switched on', async () => {
    rig = await startRig({ ends: lan, plainSignIn: true })
    rig.add('ann')
    expect((await logIn('ann')).answer).toMatchObject({ t: 'ok' })
    expect((await logIn('ann', { token: 'wrong' })).answer).toMatchObject({ code: 414 })
  })
})

describe('the time of log-ins', () => {
  let rig: LinkRig
  afterEach(() => rig.close())
  /** A fixed clock: nothing is refilled. */
  const clock: Clock = { ...systemClock, monotonic: () => 1_000 }
  const ends = () => ({ remoteAddress: '192.0.2.8', localAddress: '192.0.2.7' })
  const logIn = async (accid: string) => {
    const raw = await openRaw(rig.url)
    return { raw, answer: await raw.ask('login', rig.credentials(accid)) }
  }

  it('is taken from the address, and from all strangers for a guest', async () => {
    const budget = createTimeBudget(clock, {
      address: { perSecond: 300, atOnce: 600 },
      strangers: { perSecond: 500, atOnce: 500 },
    })
    rig = await startRig({ ends, guests: new Set(['guest-1']), plainSignIn: true, budget, clock })
    rig.add('guest-1', 'ann')
    budget.strangers.spend(499)
    expect((await logIn('ann')).answer).toMatchObject({ t: 'ok' })
    expect(budget.strangers.wait()).toBe(0)
    expect((await logIn('guest-1')).answer).toMatchObject({ t: 'ok' })
    expect(budget.strangers.wait()).toBeGreaterThan(0)
  })

  it('that is used up makes a log-in wait, and refuses one that would wait too long', async () => {
    const waits: number[] = []
    const after = (ms: number, call: () => void): (() => void) => {
      waits.push(ms)
      if (ms < 4_500) setImmediate(call)
      return () => undefined
    }
    const budget = createTimeBudget(clock)
    rig = await startRig({ ends, plainSignIn: true, budget, clock: { ...clock, after } })
    rig.add('ann')
    budget.ofAddress('192.0.2.8')!.spend(600 + 299)
    expect((await logIn('ann')).answer).toMatchObject({ t: 'ok' })
    expect(waits).toContain(1_000)
    budget.ofAddress('192.0.2.8')!.spend(900)
    const { raw, answer } = await logIn('ann')
    expect(answer).toMatchObject({
      t: 'error',
      code: 416,
      desc: 'too many log-ins came from this address; try again later',
    })
    expect((await raw.closed).code).toBe(4429)
  })
})

describe('records of log-ins', () => {
  it('of one address are kept at a rate, and what is left out is said; of this computer each is kept', async () => {
    const lines: string[] = []
    const rig = await startRig({
      log: createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } }),
    })
    rig.add('ann')
    const record = (clientIp: string) => ({
      uid: 7,
      accid: 'ann',
      at: 1,
      eventType: 2,
      clientIp,
      sdkVersion: '',
      clientType: 'WEB',
      code: 200,
    })
    for (let index = 0; index < 2_500; index++) rig.records.note(record(index % 2 ? '2001:db8::1' : '2001:db8::2'))
    for (let index = 0; index < 2_500; index++) rig.records.note(record('127.0.0.1'))
    rig.records.note(record('192.0.2.8'))
    await rig.records.settled()
    const kept = Map.groupBy(rig.copied, ({ clientIp }) => (clientIp.startsWith('2001') ? 'one' : clientIp))
    expect(kept.get('one')!.length).toBeGreaterThanOrEqual(2_000)
    expect(kept.get('one')!.length).toBeLessThan(2_100)
    expect([kept.get('127.0.0.1')!.length, kept.get('192.0.2.8')!.length]).toEqual([2_500, 1])
    expect(lines.join('')).toContain('log-in records are left out: too many of one address')
    await rig.close()
  })
})
