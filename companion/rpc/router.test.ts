import { afterEach, describe, expect, it } from 'vitest'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { backlogPause, maxBacklog, maxSubscriptions } from '../lines/connection.ts'
import { until } from '../testing/rig.ts'
import { notedServer, type Made } from './testing/noted-server.ts'

const profileId = 'p1'
const cid = 'c'.repeat(32)
const seatId = '0123456789abcdef'
let close = (): void => undefined
afterEach(() => close())

/** A server that ends with the test. */
const stage = (more: Record<string, unknown> = {}) => {
  const made = notedServer(more)
  close = made.close
  return made
}

const on = { profileId, cid }
const inRoom = { profileId, roomid: 7 }
const range = { beginTime: 1, endTime: 2 }
const onAir = { evenOnAir: true }
const layout = {}
const measure = { kind: 'muteRoom', on: true } as const

/** A call whose input goes to the part's method of the same name. */
const asIs = (name: string, input: object): [string, object, Made[]] => [name, input, [[name, input]]]

it('a profile that moves to another service has first left the one before', async () => {
  const { made, page } = stage({ profiles: { moves: () => true, update: () => made.push(['profiles.update']) } })
  await page().call('profiles.update', { profileId, liveUrl: 'https://b.example' })
  expect(made.map(([name]) => name)).toEqual([
    'addresses.forget',
    'targets.forgetProfile',
    'messaging.leaveService',
    'rooms.leaveService',
    'profiles.update',
    'extensions.askSoon',
  ])
})

it('a removed profile is out of the state when its parts have forgotten it', async () => {
  const { hub, page } = stage({
    rooms: {
      // As one that ends posts it.
      forgetProfile: () => {
        hub.post({ type: 'linkSession', session })
        return Promise.resolve()
      },
    },
  })
  const session = { profileId, accid: 'ana', phase: 'waiting', reason: null, unread: null, kept: true } as const
  await page().call('profiles.remove', { profileId })
  expect(hub.state.newest('linkSession')).toEqual([])
})

describe('a call of a page reaches what it names, with its arguments in their order', () => {
  it.each<[string, object | undefined, Made[]]>([
    ['app.restartService', undefined, [['supervisor.restart']]],
    ['app.recoverDatabase', { copy: 'a' }, [['supervisor.recover', 'a']]],
    ['app.serviceLog', undefined, [['supervisor.lines']]],
    ['app.changeSettings', { theme: 'dark' }, [['settings.change', { theme: 'dark' }]]],
    ['app.cancelDownload', undefined, [['cancelDownload']]],
    ['app.checkUpdate', undefined, [['checkUpdate']]],
    ['app.installUpdate', undefined, [['installUpdate']]],
    ['app.openLink', { url: 'https://example.com/a' }, [['openLink', 'https://example.com/a']]],
    ['app.openLink', { url: 'file:///etc/passwd' }, []],
    [
      'profiles.update',
      { profileId, name: 'n' },
      [
        ['addresses.forget', profileId],
        ['profiles.moves', profileId, { name: 'n' }],
        ['profiles.update', profileId, { name: 'n' }],
        ['extensions.askSoon', profileId],
      ],
    ],
    [
      'profiles.remove',
      { profileId },
      [
        ['profiles.remove', profileId],
        ['messaging.forgetProfile', profileId],
        ['rooms.forgetProfile', profileId],
        ['moderators.forgetProfile', profileId],
        ['obs.forgetProfile', profileId],
        ['targets.forgetProfile', profileId],
        ['addresses.forget', profileId],
      ],
    ],
    asIs('copies.start', { profileId, host: '::1', port: 9 }),
    asIs('copies.stop', { profileId }),
    asIs('copies.list', { profileId, limit: 5 }),
    asIs('copies.replay', { profileId, id: 3 }),
    asIs('copies.tamper', { profileId, id: 3 }),
    asIs('copies.setTarget', { profileId, url: 'u', kinds: [] }),
    asIs('receivers.start', { profileId, host: '127.0.0.1', port: 9 }),
    asIs('receivers.stop', { profileId }),
    asIs('receivers.register', { profileId, url: 'u' }),
    asIs('receivers.deliveries', { profileId, limit: 5 }),
    asIs('receivers.replay', { profileId, id: 3 }),
    asIs('receivers.tamper', { profileId, id: 3, field: 'f' }),
    asIs('receivers.setSignKey', { profileId, signKey: 'k', atService: true }),
    asIs('recordings.state', on),
    [
      'recordings.configure',
      { ...on, needRecord: true, format: 'flv', duration: 60, filename: 'f' },
      [
        ['recordings.configure', { ...on, needRecord: true, format: 'flv', duration: 60, filename: 'f' }],
        ['pollNow', profileId],
      ],
    ],
    asIs('recordings.list', { profileId, cids: [cid], ...range }),
    asIs('recordings.all', { profileId, ...range, deletedOnly: true, limit: 5, before: null }),
    asIs('recordings.show', { profileId, vid: 4 }),
    asIs('recordings.remove', { profileId, vids: [4] }),
    asIs('recordings.merge', { profileId, outputName: 'o', vids: [4] }),
    asIs('recordings.cancelMerge', { profileId, taskId: 6 }),
    asIs('recordings.mark', { ...on, label: 'l' }),
    asIs('recordings.markers', { profileId, cids: [cid], ...range }),
    asIs('recordings.renameMarker', { profileId, markerId: 4, label: 'l' }),
    asIs('recordings.removeMarker', { profileId, markerId: 4 }),
    asIs('recordings.setRetention', { profileId, days: 3, gigabytes: 5 }),
    asIs('recordings.callbacks', { profileId, limit: 5 }),
    asIs('recordings.resend', { profileId, nId: 'n' }),
    ['health.recent', on, [['pushHistory.of', profileId, cid]]],
    [
      'messaging.refreshToken',
      { profileId, accid: 'a', keep: true },
      [['messaging.refreshToken', profileId, 'a', true]],
    ],
    ['messaging.upload', { profileId, content: 'AAAA', type: 'png' }, [['messaging.upload', profileId, 'AAAA', 'png']]],
    [
      'messaging.signIn',
      { profileId, accid: 'a', token: 't', keep: true },
      [['messaging.signIn', profileId, 'a', 't', true]],
    ],
    ['messaging.signOut', { profileId, accid: 'a', forget: true }, [['messaging.signOut', profileId, 'a', true]]],
    ['messaging.sessions', { profileId }, [['messaging.sessions', profileId]]],
    ['rooms.list', { profileId, before: 4 }, [['rooms.list', profileId, 4]]],
    asIs('rooms.create', { profileId, accid: 'a', name: 'n', announcement: 'x' }),
    asIs('rooms.add', inRoom),
    asIs('rooms.linked', on),
    [
      'rooms.link',
      { ...on, roomid: 7 },
      [
        ['rooms.link', profileId, cid, 7],
        ['moderators.relinked', profileId],
      ],
    ],
    ['rooms.leave', inRoom, [['rooms.leave', profileId, 7]]],
    ['rooms.say', { ...inRoom, text: 'hello' }, [['rooms.say', profileId, 7, 'hello', undefined]]],
    asIs('rooms.exportActions', { ...inRoom, format: 'csv', before: 3 }),
    ['rooms.second', { ...inRoom, at: 9 }, [['roomMedia.second', profileId, 7, 9]]],
    asIs('rooms.note', { profileId, accid: 'a' }),
    asIs('rooms.setNote', { profileId, accid: 'a', text: 't' }),
    ['joined.forget', { id: seatId }, [['remoteRooms.forget', seatId]]],
    ['seats.forget', { id: seatId }, [['moderators.forget', { id: seatId }]]],
    ['seats.listen', { on: true, open: false, port: 9 }, [['moderators.listen', { on: true, open: false, port: 9 }]]],
    ['seats.makeCertificate', { names: ['n'] }, [['moderators.makeCertificate', { names: ['n'] }]]],
    ['seats.useCertificate', { cert: 'c', key: 'k' }, [['moderators.useCertificate', { cert: 'c', key: 'k' }]]],
    ['obs.connect', undefined, [['obs.connect']]],
    asIs('obs.setUp', on),
    asIs('targets.list', on),
    asIs('targets.add', { ...on, name: 'n', preset: 'custom', url: 'rtmp://h/a', key: 'k', start: 'push' }),
    asIs('targets.update', { ...on, targetId: 3, key: 'k' }),
    asIs('targets.remove', { ...on, targetId: 3 }),
    asIs('targets.start', { ...on, targetId: 3 }),
    asIs('targets.stop', { ...on, targetId: 3 }),
    ['obs.start', undefined, [['obs.start']]],
    ['obs.stop', undefined, [['obs.stop']]],
    ['computer.folderUse', undefined, [['computer.folderUse']]],
    ['computer.showFolder', undefined, [['computer.showFolder']]],
    ['computer.chooseFolder', undefined, [['computer.chooseFolder']]],
    asIs('computer.typeFolder', { path: '/a' }),
    asIs('computer.moveFolder', { handle: 'h' }),
    ['computer.cancelMove', undefined, [['computer.cancelMove']]],
    asIs('computer.removeOldCopy', { keep: true }),
    ['computer.useUsualFolder', undefined, [['computer.useUsualFolder']]],
    asIs('computer.setPorts', { api: 1024, media: null, rtmp: 1935, ...onAir }),
    asIs('computer.setTimeZone', { timeZone: 'UTC', ...onAir }),
    ['computer.testSecrets', undefined, [['computer.testSecrets']]],
    ['computer.removeLeftSecrets', undefined, [['computer.removeLeftSecrets']]],
    ['computer.exportSettings', { layout }, [['settingsFile.exportSettings', { layout }]]],
    ['computer.readSettings', { text: 't', layout }, [['settingsFile.readSettings', { text: 't', layout }]]],
    ['computer.importSettings', { handle: 'h' }, [['settingsFile.importSettings', { handle: 'h' }]]],
    ['computer.resetSettings', undefined, [['settingsFile.resetSettings']]],
    asIs('keeping.restore', { where: 'app', id: 'i' }),
    asIs('keeping.remove', { where: 'service', id: 'i' }),
    ['keeping.seen', undefined, [['keeping.seen']]],
    ['support.bundle', undefined, [['support.bundle']]],
    ['console.call', { profileId, path: '/x', parameters: {} }, [['console.call', profileId, '/x', {}]]],
    asIs('rooms.actions', { ...inRoom, target: 'a', before: 3 }),
    asIs('rooms.history', { profileId, call: { roomid: 7 } }),
    ['rooms.act', { ...inRoom, measure, why: 'w' }, [['rooms.act', { ...inRoom, measure, why: 'w' }, undefined]]],
    ['rooms.enter', { ...inRoom, renew: true }, [['rooms.enter', profileId, 7, true]]],
    asIs('recordings.deletedChannels', { profileId }),
    asIs('recordings.merges', { profileId }),
    asIs('recordings.retention', { profileId }),
    asIs('receivers.state', { profileId }),
    asIs('receivers.signKey', { profileId }),
    asIs('copies.state', { profileId }),
    asIs('copies.target', { profileId }),
    ['keeping.list', undefined, [['keeping.list']]],
    ['joined.list', undefined, [['remoteRooms.list']]],
    ['obs.state', undefined, [['obs.state']]],
    asIs('obs.goLive', { ...on, instead: true }),
    ['computer.secrets', undefined, [['computer.secrets']]],
    [
      'messaging.createAccount',
      { profileId, call: { accid: 'a', name: 'n' }, keep: true },
      [['messaging.createAccount', profileId, { accid: 'a', name: 'n' }, true]],
    ],
    ['messaging.accounts', { profileId, search: 's', after: 'b' }, [['messaging.accounts', profileId, 's', 'b']]],
    [
      'joined.join',
      { host: 'stage.example:8720', secured: false, fingerprint: null, accid: 'a', token: 't', code: 'abcdefgh' },
      [
        [
          'remoteRooms.join',
          { host: 'stage.example:8720', secured: false, fingerprint: null },
          { accid: 'a', token: 't', code: 'abcdefgh' },
        ],
      ],
    ],
  ])('%s %j', async (path, input, wanted) => {
    const { page, made } = stage()
    await page().call(path, input)
    expect(made).toEqual(wanted)
  })
})

it('what is shown of media belongs to the page that asked, and ends with it', async () => {
  const { page, made } = stage()
  const one = page()
  await one.call('preview.open', on)
  await one.call('recordings.ticket', { profileId, vid: 4 })
  await one.call('messaging.media', { profileId, url: 'u' })
  const owner = { closed: expect.any(AbortSignal) as AbortSignal, seat: undefined }
  expect(made).toMatchObject([
    ['preview', profileId, cid, owner],
    ['play', profileId, 4, owner],
    ['showFile', profileId, 'u', owner],
  ])
  const { closed } = made[0]!.at(-1) as { readonly closed: AbortSignal }
  expect(closed.aborted).toBe(false)
  one.end()
  expect(closed.aborted).toBe(true)
})

describe('what a moderator does', () => {
  const seat = (did: string[]): Partial<ConnectedSeat> => ({
    id: 'mei',
    profileId,
    roomid: 7,
    accid: 'mei',
    name: 'Mei',
    ready: Promise.resolve(),
    cid: () => cid,
    moved: () => new AbortController().signal,
    did: (what) => void did.push(what),
  })

  it('is done in their name and noted with the seat, not where it was refused', async () => {
    const did: string[] = []
    const say = (_profile: string, _room: number, text: string, as: string) =>
      text === 'no' ? Promise.reject(new Error('refused')) : Promise.resolve({ msgid: `${as} ${text}`, at: 1 })
    const { page } = stage({ rooms: { say } })
    const one = page(seat(did))
    await one.call('rooms.say', { ...inRoom, text: 'no' })
    expect(did).toEqual([])
    expect(await one.call('rooms.say', { ...inRoom, text: 'hello' })).toContain('mei hello')
    expect(did).toEqual(['say'])
  })

  it('does not take the host out of the room', async () => {
    const { page, made } = stage()
    await page(seat([])).call('rooms.leave', inRoom)
    expect(made).toEqual([])
  })

  it('shows of the rooms only their own, and of the app no more than its version', async () => {
    const rooms = {
      find: (_profile: string, roomid: number) =>
        Promise.resolve({ roomid, name: 'own', creator: 'h', valid: true, online: 1, cid: null }),
      list: () => expect.fail('the rooms of the host'),
    }
    const about = { version: '1.2.3', shell: 'electron', platform: 'linux', capabilities: ['clipboard'] }
    const { page } = stage({ rooms, about })
    const one = page(seat([]))
    expect(await one.call('rooms.list', { profileId })).toContain('"roomid":7')
    const told = await one.call('app.about')
    expect(told).toContain('1.2.3')
    for (const kept of ['electron', 'linux', '"clipboard"']) expect(told).not.toContain(kept)
  })
})

describe('the events of a page', () => {
  const opened = (n: number) => ({ type: 'opened', cid: `c${n}` }) as const
  const messaging = { openRequests: () => [] }

  it('begin with what people ask over the link and wait to be answered', async () => {
    const { page } = stage({
      messaging: {
        openRequests: () => [
          { profileId, accid: 'waiting', push: { t: 'friend', from: 'rob', to: 'waiting', type: 2, at: 1 } },
        ],
      },
    })
    const one = page()
    one.say('app.events')
    await until('the ask', () => one.answers.some((answer) => answer.includes('waiting')), 10_000)
  })

  it('pause while the page takes nothing, and go on when it does', async () => {
    const { page, hub, clock } = stage({ messaging })
    const one = page()
    one.say('app.events')
    const told = (n: number): boolean => one.answers.some((answer) => answer.includes(`"c${n}"`))
    await until('a subscription', () => hub.subscribers() === 1, 10_000)
    one.on.backlog = backlogPause + 1
    hub.post(opened(1))
    await until('the first', () => told(1) && clock.waiting() > 0, 10_000)
    hub.post(opened(2))
    clock.advance(500)
    await one.call('rooms.note', { profileId, accid: 'a' })
    expect(told(2)).toBe(false)
    one.on.backlog = 0
    await until('the second', () => (clock.advance(50), told(2)), 10_000)
  })

  it(`are subscribed to ${maxSubscriptions} times at most`, async () => {
    const { page, hub } = stage({ messaging })
    const one = page()
    for (let n = 0; n < maxSubscriptions + 1; n++) one.say('app.events')
    await until('a refusal', () => one.answers.some((answer) => answer.includes('too many subscriptions')), 10_000)
    expect(hub.subscribers()).toBe(maxSubscriptions)
  })
})

it('a page that takes nothing of what it is sent is disconnected', async () => {
  const { page } = stage()
  const one = page()
  one.on.backlog = maxBacklog + 1
  one.say('rooms.note', { profileId, accid: 'a' })
  await until('its end', () => one.on.closed, 10_000)
})

describe('a push address', () => {
  const key = 'abcdefghijklmnop'
  const address = { url: `rtmp://h/live/${key}`, server: 'rtmp://h/live', key, expires: 5 }
  const asked: unknown[] = []
  const addresses = {
    look: (...given: unknown[]) => (asked.push(['look', ...given]), Promise.resolve(address)),
    renew: (...given: unknown[]) => (asked.push(['renew', ...given]), Promise.resolve(address)),
    replace: (...given: unknown[]) => (asked.push(['replace', ...given]), Promise.resolve(address)),
  }
  const client = (id: string) => Promise.resolve(`client of ${id}`)

  it('is shown with the ends of its key only, and whole where it is asked for', async () => {
    const { page } = stage({ addresses, client, clipboard: undefined })
    const one = page()
    const card = await one.call('push.card', on)
    expect(card).toContain('{"server":"rtmp://h/live","keyStart":"abcd","keyEnd":"mnop","expires":5}')
    expect(card).not.toContain(key)
    expect(await one.call('push.reveal', on)).toContain(`"key":"${key}"`)
    expect(await one.call('push.copy', { ...on, part: 'key' })).toContain(`"text":"${key}"`)
    expect(await one.call('push.copy', { ...on, part: 'url' })).toContain(`"text":"${address.url}"`)
  })

  it('goes to the clipboard of the shell and not to the page where the shell has one', async () => {
    const copied: string[] = []
    const clipboard = (text: string) => (copied.push(text), Promise.resolve())
    const { page } = stage({ addresses, client, clipboard })
    expect(await page().call('push.copy', { ...on, part: 'url' })).toContain('"text":null')
    expect(copied).toEqual([address.url])
  })

  it('has its key replaced at an extended service only, and is renewed anywhere', async () => {
    const profiles = { isExtended: (id: string) => id === 'local' }
    const { page } = stage({ addresses, client, profiles })
    const one = page()
    asked.splice(0)
    await one.call('push.replaceKey', on)
    expect(asked).toEqual([])
    await one.call('push.replaceKey', { profileId: 'local', cid })
    await one.call('push.renew', on)
    expect(asked).toEqual([
      ['replace', 'local', cid, 'client of local'],
      ['renew', profileId, cid, `client of ${profileId}`],
    ])
  })
})

describe('what is done to channels', () => {
  const serving = (fails: boolean) => {
    const made: unknown[] = []
    const call = ({ path }: { readonly path: string }, args: object) => {
      made.push([path, args])
      return Promise.resolve({ ret: { cid, successList: [cid] } })
    }
    const recordings = {
      configure: (...given: unknown[]) => {
        made.push(['configure', ...given])
        return fails ? Promise.reject(new Error('no')) : Promise.resolve()
      },
    }
    const settings = { value: () => ({ recording: { everyPush: true, format: 'mp4', minutes: 60, named: true } }) }
    return { made, recordings, settings, client: () => Promise.resolve({ call }) }
  }

  it('is told to all pages, and the addresses of those deleted are forgotten', async () => {
    const { client } = serving(false)
    const { page, made, hub } = stage({ client })
    const told: string[] = []
    const end = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const { type } of hub.subscribe(end.signal)) told.push(type)
    }
    const followed = follow()
    const one = page()
    for (const [path, input] of [
      ['channels.rename', { ...on, name: 'n' }],
      ['channels.remove', { profileId, cids: [cid] }],
      ['channels.disable', { profileId, cids: [cid] }],
      ['channels.resume', { profileId, cids: [cid] }],
    ] as const) {
      told.splice(0)
      made.splice(0)
      await one.call(path, input)
      await until(path, () => told.includes('channels'), 10_000)
      expect(made).toEqual([
        ...(path === 'channels.remove' ? [['addresses.forget', profileId, cid]] : []),
        ['pollNow', profileId],
      ])
    }
    end.abort()
    await followed
  })

  it.each([
    ['asIs', false, false],
    ['on', true, false],
    ['failed', true, true],
  ])('a new channel is recorded if that is wished, as the settings have it: %s', async (wanted, record, fails) => {
    const { made, client, recordings, settings } = serving(fails)
    const { page } = stage({ client, recordings, settings })
    expect(await page().call('channels.create', { profileId, name: 'Show', record })).toContain(
      `"recording":"${wanted}"`,
    )
    expect(made.length).toBe(record ? 2 : 1)
    if (record)
      expect(made[1]).toMatchObject(['configure', { profileId, cid, needRecord: true, format: 'mp4', duration: 60 }])
  })
})
