import { beforeEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { Failure } from '../failure.ts'
import { answeringClient } from '../rooms/testing/answering-client.ts'
import { failureOf, until } from '../testing/rig.ts'
import { maxSeats, type SeatDocument } from './seat-document.ts'
import { createSeats } from './seats.ts'
import { isLocal } from '../profiles/profiles.ts'

const roomid = 7
const day = 86_400_000
const from = '127.0.0.1'

/** Seats over a document in memory and a service with these answers; an Error is what a call is refused with. */
function stage() {
  const clock = manualClock()
  let document: SeatDocument = {
    version: 1,
    listening: { on: false, open: false, port: 0 },
    certificate: null,
    seats: [],
  }
  let unwritten: { ids: string[]; reason: { code: 'full'; params: Record<string, string> }; marked: boolean } | null =
    null
  let made = 0
  const answers = new Map<Operation, unknown>([[accounts.getUinfos, { uinfos: [] }]])
  const { client, calls } = answeringClient((operation) => {
    const answer = answers.get(operation) ?? {}
    if (answer instanceof Error) throw answer
    return answer
  })
  const given: unknown[][] = []
  const tokens = new Map<string, string>()
  const completed: string[] = []
  const on = {
    channel: () => Promise.resolve<string | null>('channel'),
    refuses: undefined as Error | undefined,
    changes: 0,
  }
  const renew =
    (what: string) =>
    (profileId: string, ...rest: unknown[]): Promise<{ token: string }> => {
      given.push([what, profileId, ...rest])
      if (on.refuses) return Promise.reject(on.refuses)
      const [first] = rest as [string | { accid: string }]
      const token = `token ${++made}`
      tokens.set(`${profileId} ${typeof first === 'string' ? first : first.accid}`, token)
      return Promise.resolve({ token })
    }
  const change = async (update: (now: SeatDocument) => Partial<SeatDocument>): Promise<void> => {
    document = { ...document, ...update(document) }
    await Promise.resolve()
  }
  const seats = createSeats({
    clock,
    random: (bytes) => Buffer.alloc(bytes, ++made),
    document: {
      value: () => document,
      change,
      hold: (_ids, update) => change(update),
      unwritten: () => unwritten,
      close: () => Promise.resolve(),
    },
    client: () => Promise.resolve(client),
    isExtended: isLocal,
    accounts: { createAccount: renew('create'), refreshToken: renew('refresh') },
    token: (profileId, accid) => Promise.resolve(tokens.get(`${profileId} ${accid}`)),
    creator: () => Promise.resolve('ana'),
    channel: () => on.channel(),
    completed: ({ accid }) => void completed.push(accid),
    changed: () => void on.changes++,
    log: () => undefined,
  })
  const invite = (accid = 'mei', profileId = 'local') => seats.invite(profileId, roomid, accid, accid.toUpperCase())
  const signIn = (body: object, address = from, device = '') => seats.signIn(body, address, device)
  return {
    clock,
    seats,
    answers,
    calls,
    given,
    completed,
    on,
    invite,
    signIn,
    seated: async (accid = 'mei', profileId = 'local') => {
      const { seat, code, token } = await invite(accid, profileId)
      const session = await signIn({ accid, token, code })
      calls.splice(0)
      given.splice(0)
      return { id: seat.id, token, code, session: session ?? expect.fail('no session') }
    },
    of: (id: string) => seats.all().find((seat) => seat.id === id),
    document: () => document,
    unwrite: (id: string): void => {
      unwritten = { ids: [id], reason: { code: 'full', params: {} }, marked: false }
    },
    called: (operation: Operation) => calls.flatMap(([which, args]) => (which === operation ? [args] : [])),
  }
}
let at: ReturnType<typeof stage>
beforeEach(() => {
  at = stage()
})
const refusal = (code: number) => new Failure('code', `answered ${code}`, { code })

describe('an invitation', () => {
  it('makes the account where there is none, and gives an account that is there a new token', async () => {
    await at.invite()
    expect(at.given).toEqual([['create', 'local', { accid: 'mei', name: 'MEI' }, true]])
    at.answers.set(accounts.getUinfos, { uinfos: [{ accid: 'rob' }] })
    await at.invite('rob')
    expect(at.given[1]).toEqual(['refresh', 'local', 'rob', true])
  })

  it('makes the account an admin of the room in the name of the creator, and hands over code and token', async () => {
    const { seat, code, token } = await at.invite()
    expect(at.called(chatrooms.setMemberRole)).toEqual([
      { roomid, operator: 'ana', target: 'mei', opt: 1, optvalue: true },
    ])
    expect(token).toBe('token 2')
    expect(code).toHaveLength(24)
    expect(at.of(seat.id)).toMatchObject({
      profileId: 'local',
      roomid,
      accid: 'mei',
      name: 'MEI',
      state: 'invited',
      created: at.clock.now(),
      codeUntil: at.clock.now() + day,
      sessions: 0,
      pages: 0,
      owed: [],
      cid: 'channel',
    })
    expect(JSON.stringify(at.document())).not.toContain(code)
  })

  it('takes who is an admin already, and puts the newest seat first', async () => {
    at.answers.set(chatrooms.setMemberRole, refusal(417))
    await at.invite()
    await at.invite('rob')
    expect(at.seats.all().map(({ accid, state }) => [accid, state])).toEqual([
      ['rob', 'invited'],
      ['mei', 'invited'],
    ])
  })

  it('that the service refuses leaves no seat, and of a seat that was there what it was', async () => {
    at.answers.set(chatrooms.setMemberRole, refusal(404))
    expect(await failureOf(at.invite())).toMatchObject({ code: 404 })
    expect([at.seats.all(), at.document().seats]).toEqual([[], []])
    at.answers.delete(chatrooms.setMemberRole)
    const { id } = await at.seated()
    await at.seats.revoke(id)
    const before = at.of(id)
    at.answers.set(chatrooms.setMemberRole, refusal(404))
    expect(await failureOf(at.invite())).toMatchObject({ code: 404 })
    expect(at.of(id)).toEqual(before)
  })

  it('is not listed before the service has answered', async () => {
    const answer = Promise.withResolvers<object>()
    at.answers.set(chatrooms.setMemberRole, answer.promise)
    const inviting = at.invite()
    await until('the call', () => at.called(chatrooms.setMemberRole).length === 1)
    // It is kept, so that an end of the app leaves no moderator.
    expect([at.seats.all(), at.document().seats.map(({ owed }) => owed)]).toEqual([[], [['role']]])
    const before = at.on.changes
    answer.resolve({})
    await inviting
    expect(at.seats.all()).toHaveLength(1)
    expect(at.on.changes).toBeGreaterThan(before)
  })

  it('is refused for the host, and for who has a seat at this room already', async () => {
    expect(await failureOf(at.invite('ana'))).toMatchObject({ kind: 'absent' })
    const { seat } = await at.invite()
    expect(await failureOf(at.invite())).toMatchObject({ kind: 'absent' })
    await at.invite('mei', 'hosted')
    await at.seats.invite('local', 8, 'mei', 'Mei')
    expect(at.seats.all()).toHaveLength(3)
    await at.seats.revoke(seat.id)
    expect((await at.invite()).seat.id).toBe(seat.id)
    expect(await failureOf(at.seats.inviteAgain('none'))).toMatchObject({ kind: 'absent' })
  })

  it(`is refused beyond ${maxSeats} seats, and not for who has one of them`, async () => {
    const { seat } = await at.invite()
    await at.seats.revoke(seat.id)
    const { seats } = at.document()
    seats.push(...Array.from({ length: maxSeats - 1 }, (_, n) => ({ ...seats[0]!, id: `other ${n}`, accid: `a${n}` })))
    expect(await failureOf(at.invite('rob'))).toMatchObject({ kind: 'absent' })
    await at.invite()
    expect(at.seats.all()).toHaveLength(maxSeats)
  })

  it('again gives a new code and token to a seat, whose browsers stay signed in', async () => {
    const { id, code, session } = await at.seated()
    const again = await at.seats.inviteAgain(id)
    expect(again.code).not.toBe(code)
    expect(at.of(id)).toMatchObject({ state: 'active', sessions: 1, codeUntil: at.clock.now() + day })
    expect(at.seats.of(session)?.id).toBe(id)
  })
})

describe('a sign-in', () => {
  it('with the code makes the seat active, and tells when, from where and with what', async () => {
    const { seat, code, token } = await at.invite()
    at.clock.advance(5_000)
    const agent = 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0'
    const session = await at.signIn({ accid: 'MEI', token, code }, '203.0.113.7', agent)
    expect(at.of(seat.id)).toMatchObject({
      state: 'active',
      codeUntil: null,
      sessions: 1,
      lastAt: at.clock.now(),
      lastAction: 'signIn',
      address: '203.0.113.7',
      device: 'Edge, Windows',
    })
    expect(at.seats.of(session!)?.id).toBe(seat.id)
    expect(at.seats.of('another')).toBeUndefined()
    expect(JSON.stringify(at.document())).not.toContain(session!)
    expect(at.seats.failures()).toBe(0)
  })

  it.each([
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19) Safari/604.1', 'Safari, iPhone'],
    ['Mozilla/5.0 (iPad; CPU OS 19 like Mac OS X) Safari/604.1', 'Safari, iPad'],
    ['Mozilla/5.0 (Linux; Android 16) Chrome/140.0', 'Chrome, Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15) Firefox/140.0', 'Firefox, macOS'],
    ['Sidestage/1.0 (X11; Linux) Chrome/140.0', 'Sidestage, Linux'],
    ['curl/8', ''],
  ])('names the browser and system: %s', async (agent, device) => {
    const { seat, code, token } = await at.invite()
    await at.signIn({ accid: 'mei', token, code }, from, agent)
    expect(at.of(seat.id)?.device).toBe(device)
  })

  it('needs a code that is less than a day old', async () => {
    const { code, token } = await at.invite()
    at.clock.advance(day)
    expect(await at.signIn({ accid: 'mei', token, code })).toBeUndefined()
    const again = await at.seats.inviteAgain(at.seats.all()[0]!.id)
    at.clock.advance(day - 1)
    expect(await at.signIn({ accid: 'mei', token: again.token, code: again.code })).toBeDefined()
  })

  it('needs the code until it was used, and then account and token only', async () => {
    const { code, token } = await at.invite()
    expect(await at.signIn({ accid: 'mei', token })).toBeUndefined()
    expect(await at.signIn({ accid: 'mei', code })).toBeUndefined()
    expect(await at.signIn({ accid: 'rob', token, code })).toBeUndefined()
    at.clock.advance(60_000)
    expect(await at.signIn({ accid: 'mei', token, code })).toBeDefined()
    expect(await at.signIn({ accid: 'mei', token })).toBeDefined()
    expect(at.seats.failures()).toBe(3)
    expect(at.seats.all()[0]?.sessions).toBe(2)
  })

  it('of one of two seats goes to the one whose code is given', async () => {
    const first = await at.invite()
    const second = await at.seats.invite('local', 8, 'mei', 'Mei')
    const roomOf = async (code: string) =>
      at.seats.of((await at.signIn({ accid: 'mei', token: second.token, code }))!)?.roomid
    expect([await roomOf(first.code), await roomOf(second.code)]).toEqual([7, 8])
  })

  it('waits after three that failed, twice as long each time, and not after one that was right', async () => {
    const { token } = await at.seated()
    const wrong = { accid: 'mei', token: 'wrong' }
    for (let times = 0; times < 3; times++) expect(await at.signIn(wrong)).toBeUndefined()
    expect([at.seats.wait(wrong, from), at.seats.wait({ accid: 'rob' }, from)]).toEqual([1_000, 0])
    expect(await at.signIn({ accid: 'mei', token })).toBeUndefined()
    // One that came too early is not counted.
    expect([at.seats.failures(), at.seats.wait(wrong, from)]).toEqual([3, 1_000])
    at.clock.advance(1_000)
    expect(await at.signIn(wrong)).toBeUndefined()
    expect(at.seats.wait(wrong, from)).toBe(2_000)
    at.clock.advance(2_000)
    expect(await at.signIn({ accid: 'mei', token })).toBeDefined()
    expect([at.seats.failures(), at.seats.wait(wrong, from)]).toEqual([4, 0])
  })

  it('of a ninth browser ends the first', async () => {
    const { id, token, session } = await at.seated()
    const others: string[] = []
    for (let times = 0; times < 8; times++) others.push((await at.signIn({ accid: 'mei', token }))!)
    expect(at.of(id)?.sessions).toBe(8)
    expect(at.seats.of(session)).toBeUndefined()
    for (const each of others) expect(at.seats.of(each)?.id).toBe(id)
  })

  it('is told to the page of the host where it failed', async () => {
    const before = at.on.changes
    await at.signIn({ accid: 'nobody', token: 'x' })
    expect(at.on.changes).toBe(before + 1)
  })

  it('ends with a sign-out of this browser only, which is told', async () => {
    const { id, token, session } = await at.seated()
    const other = (await at.signIn({ accid: 'mei', token }))!
    at.clock.advance(1_000)
    await at.seats.signOut(session)
    expect([at.seats.of(session), at.seats.of(other)?.id]).toEqual([undefined, id])
    expect(at.of(id)).toMatchObject({ sessions: 1, lastAction: 'signOut', lastAt: at.clock.now() })
    at.clock.advance(1_000)
    await at.seats.signOut(session)
    expect(at.of(id)?.lastAt).toBe(at.clock.now() - 1_000)
  })

  it('replaces what was done before and not written yet', async () => {
    const { id, token } = await at.seated()
    at.seats.did(id, 'mute')
    await at.signIn({ accid: 'mei', token })
    expect(at.of(id)?.lastAction).toBe('signIn')
    at.seats.did('none', 'mute')
    at.seats.close()
    expect(at.document().seats[0]?.lastAction).toBe('signIn')
  })
})

describe('a seat that is taken back', () => {
  const stepsOf = async (id: string) => {
    const { steps } = await at.seats.revoke(id)
    return steps.map(({ what, ok, reason }) => [what, ok, reason?.code ?? null])
  }
  const allDone = [
    ['sessions', true, null],
    ['kept', true, null],
    ['role', true, null],
    ['token', true, null],
    ['link', true, null],
  ]

  it('ends its pages, sessions and code at once, and then its role, token and link sessions', async () => {
    const { id, session, token } = await at.seated()
    const ended: number[] = []
    at.seats.opened(id, () => ended.push(1))
    expect(at.of(id)?.pages).toBe(1)
    const revoking = stepsOf(id)
    expect([ended, at.of(id), at.seats.of(session)]).toMatchObject([[1], { state: 'revoked', sessions: 0 }, undefined])
    expect(await revoking).toEqual(allDone)
    expect(at.called(chatrooms.setMemberRole)).toEqual([
      { roomid, operator: 'ana', target: 'mei', opt: 1, optvalue: false },
    ])
    expect(at.given).toEqual([['refresh', 'local', 'mei', true]])
    expect(at.called(local.endSessions)).toEqual([{ accid: 'mei' }])
    expect(await at.signIn({ accid: 'mei', token })).toBeUndefined()
    expect(at.completed).toEqual([])
  })

  it('on a hosted service is put out of the link by a block that is lifted again', async () => {
    const { id } = await at.seated('mei', 'hosted')
    expect(await stepsOf(id)).toEqual(allDone)
    expect(at.calls.slice(-2)).toEqual([
      [accounts.block, { accid: 'mei', needkick: true }],
      [accounts.unblock, { accid: 'mei' }],
    ])
  })

  it.each([
    ['417', refusal(417), true],
    ['404', refusal(404), true],
    ['a missing account', new Failure('missing', 'no account', { code: 414 }), true],
    ['403', refusal(403), false],
    ['no answer', new Failure('unreachable', 'away'), false],
  ])('is no admin where the service answers with %s', async (_what, error, isDone) => {
    const { id } = await at.seated()
    at.answers.set(chatrooms.setMemberRole, error)
    const steps = await stepsOf(id)
    expect(steps[2]?.slice(0, 2)).toEqual(['role', isDone])
    expect(at.of(id)?.owed).toEqual(isDone ? [] : ['role'])
  })

  it.each([
    [refusal(403), 'answered'],
    [new Failure('down', 'away'), 'away'],
    [new Failure('late', 'away'), 'away'],
    [new Failure('refused', 'away'), 'away'],
    [new Failure('full', 'no space'), 'full'],
    [new Failure('readOnly', 'no write'), 'readOnly'],
    [new Failure('broken', 'no disk'), 'broken'],
    [Object.assign(new Error('no space'), { code: 'ENOSPC' }), 'full'],
    [new TypeError('a fault'), 'failed'],
  ])('tells why a step is left: %s', async (error, reason) => {
    const { id } = await at.seated()
    at.answers.set(local.endSessions, error)
    expect((await stepsOf(id))[4]).toEqual(['link', false, reason])
    expect(at.of(id)?.owedReason?.code).toBe(reason)
  })

  it('keeps the link sessions as left while the token is: who is put out before would come back', async () => {
    const { id } = await at.seated()
    at.on.refuses = refusal(403)
    expect((await stepsOf(id)).map(([what, ok]) => [what, ok])).toEqual([
      ['sessions', true],
      ['kept', true],
      ['role', true],
      ['token', false],
      ['link', false],
    ])
    expect(at.called(local.endSessions)).toHaveLength(1)
  })

  it('is tried again after 2, 5, 15 and then every 60 s, and told as completed once', async () => {
    const { id } = await at.seated()
    at.answers.set(local.endSessions, new Failure('unreachable', 'away'))
    await at.seats.revoke(id)
    let tries = 1
    for (const wait of [2_000, 5_000, 15_000, 60_000, 60_000]) {
      at.clock.advance(wait - 1)
      expect(at.called(local.endSessions)).toHaveLength(tries)
      at.clock.advance(1)
      tries++
      await until('another try', () => at.called(local.endSessions).length === tries && at.clock.waiting() > 0)
    }
    at.answers.delete(local.endSessions)
    at.clock.advance(60_000)
    await until('the end', () => at.completed.length > 0)
    expect([at.completed, at.of(id)?.owed, at.clock.waiting()]).toEqual([['mei'], [], 0])
  })

  it('is tried at once when its service is back, not when another is', async () => {
    const { id } = await at.seated()
    at.answers.set(local.endSessions, new Failure('unreachable', 'away'))
    await at.seats.revoke(id)
    at.answers.delete(local.endSessions)
    at.seats.serviceBack('hosted')
    await new Promise((resolve) => setImmediate(resolve))
    expect(at.of(id)?.owed).toEqual(['link'])
    at.seats.serviceBack('local')
    await until('the end', () => at.of(id)?.owed.length === 0)
  })

  it('is not tried any more after the end', async () => {
    const { id } = await at.seated()
    at.answers.set(local.endSessions, new Failure('unreachable', 'away'))
    await at.seats.revoke(id)
    at.seats.close()
    expect(at.clock.waiting()).toBe(0)
    at.seats.serviceBack('local')
    await new Promise((resolve) => setImmediate(resolve))
    expect(at.called(local.endSessions)).toHaveLength(1)
  })

  it('says that it is not written while it is not, and why', async () => {
    const { id } = await at.seated()
    at.unwrite(id)
    expect((await stepsOf(id))[1]).toEqual(['kept', false, 'full'])
    at.unwrite('another')
    expect((await stepsOf(id))[1]).toEqual(['kept', true, null])
  })

  it('is removed from the list only when nothing of it is left', async () => {
    const { id } = await at.seated()
    at.answers.set(local.endSessions, refusal(403))
    await at.seats.revoke(id)
    expect(await failureOf(at.seats.forget(id))).toMatchObject({ kind: 'absent' })
    at.answers.delete(local.endSessions)
    await at.seats.revoke(id)
    await at.seats.forget(id)
    expect(at.seats.all()).toEqual([])
    expect(await failureOf(at.seats.forget(id))).toMatchObject({ kind: 'absent' })
    expect(await failureOf(at.seats.revoke(id))).toMatchObject({ kind: 'absent' })
  })
})

describe('the channel of a seat', () => {
  it('follows the link of its room, and stays as known while the service does not tell', async () => {
    const { id } = await at.seated()
    at.on.channel = () => Promise.reject(new Error('away'))
    await at.seats.relinked('local')
    expect(at.of(id)?.cid).toBe('channel')
    at.on.channel = () => Promise.resolve(null)
    await at.seats.relinked('hosted')
    expect(at.of(id)?.cid).toBe('channel')
    const before = at.on.changes
    await at.seats.relinked('local')
    expect(at.of(id)?.cid).toBeNull()
    expect(at.on.changes).toBe(before + 1)
  })
})
