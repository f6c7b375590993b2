import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import type { Channel, SeatBoard } from '../../../contract/rpc/index.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { roomAction } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { useDialogs } from '../channels/dialogs.ts'
import { frameWords } from '../frame/words.ts'
import { healthWords } from './words-health.ts'
import GoLivePanel from './go-live-panel.vue'

const en = spoken(frameWords, 'en')
const healthEn = spoken(healthWords, 'en')

const { goLive: words } = healthEn
const one = channel(1)
const on = { profileId: 'local', cid: one.cid }
const day = 86_400_000
const card = (expires: number | null) => ({ server: 'rtmp://host/live', keyStart: '1', keyEnd: '2', expires })
const board: SeatBoard = {
  listener: {
    phase: 'off',
    open: false,
    port: 8720,
    urls: [],
    reason: null,
    certificate: 'none',
    fingerprint: null,
    certificateUntil: null,
    failures: 0,
  },
  seats: [],
  unwritten: null,
}
const room = (change: { valid?: boolean; muted?: boolean } = {}) => ({
  chatroom: {
    roomid: 7,
    valid: true,
    announcement: '',
    name: 'Seven',
    broadcasturl: '',
    ext: '',
    creator: 'ana',
    muted: false,
    onlineusercount: 3,
    ...change,
  },
})
const answers: Answers = {
  'profiles.test': () => ({ channels: 1, milliseconds: 12 }),
  'push.card': () => card(began + 20 * day),
  'preview.open': () => ({ flv: null, hls: null }),
  'rooms.linked': () => ({ roomid: 7 }),
  'operations.chatrooms.get': () => room(),
  'seats.board': () => board,
  'recordings.state': () => null,
  'operations.access.access': () => ({
    ret: { mode: 'everybody', closed: false, passphrase: false, embedOrigins: [], viewers: 0, links: [] },
  }),
  'operations.reach.reach': () => ({
    ret: {
      reach: 'computer',
      rtmp: false,
      url: 'http://127.0.0.1:8711',
      freeHere: true,
      results: [{ reach: 'computer', state: 'works' }],
      doors: [],
      encryption: 'none',
      proxies: [],
      fixed: [],
    },
  }),
  'targets.list': () => ({ targets: [], needs: 0, budget: 0, waiting: 0 }),
}
const show = async (options: MountOptions = {}, shown: Channel = one) => {
  const open = ref(true)
  const part = {
    render: () =>
      h(GoLivePanel, {
        profileId: 'local',
        channel: shown,
        open: open.value,
        'onUpdate:open': (next: boolean) => (open.value = next),
      }),
  }
  const found = await mounted(part, { channels: [shown], ...options, answers: { ...answers, ...options.answers } })
  return { ...found, open }
}
const line = (name: string) => document.querySelector<HTMLElement>(`[data-line=${name}]`)
const state = (name: string) => line(name)?.dataset['state']
const text = (name: string) => line(name)?.textContent ?? ''
const button = (name: string) => page.getByRole('button', { name, exact: true })
const sum = () => page.getByRole('status').first()

describe('the go-live check', () => {
  it('tries every line of its channel, and sums up what is to be mended', async () => {
    const { client } = await show()
    await expect.poll(() => state('room')).toBe('ok')
    expect(['profile', 'key', 'ingest', 'flv', 'hls', 'audio', 'disk', 'moderators'].map(state)).toEqual([
      'ok',
      'ok',
      'fault',
      'wait',
      'wait',
      'wait',
      'ok',
      'warn',
    ])
    await expect.element(sum()).toHaveTextContent('1 fault to fix.')
    expect(text('profile')).toContain(words.profile.ok.replace('{ms}', '12'))
    expect(text('profile')).toContain(words.from.profile)
    expect(text('room')).toContain('Seven is open, 3 online.')
    expect(client.inputs('profiles.test')).toEqual([{ profileId: 'local' }])
    expect(client.inputs('push.card')).toEqual([on])
    expect(client.inputs('rooms.linked')).toEqual([on])
    expect(client.inputs('recordings.state')).toEqual([on])
    // Streams are read only while something is on air.
    expect(client.inputs('preview.open')).toEqual([])
  })

  it('reads the streams of a channel that is on air, and has a line for addresses that are not given', async () => {
    const { client } = await show({}, channel(1, { status: 1 }))
    await expect.poll(() => [state('flv'), state('hls')]).toEqual(['none', 'none'])
    expect(client.inputs('preview.open')).toEqual([on, on])
    expect([state('ingest'), text('flv').includes(words.flv.none)]).toEqual(['ok', true])
    await expect.element(sum()).toHaveTextContent('Checking, 1 line to go.')
  })

  it('says why a line failed, and tries again on request', async () => {
    const { client } = await show({
      answers: {
        'profiles.test': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.poll(() => state('profile')).toBe('fault')
    expect(text('profile')).toContain(en.failure.late.sentence)
    client.answer(answers)
    await expect.element(button(words.fix.again)).toBeVisible()
    await button(words.fix.again).click()
    await expect.poll(() => state('profile')).toBe('ok')
  })

  it('begins anew on request', async () => {
    const { client } = await show()
    await expect.poll(() => state('profile')).toBe('ok')
    client.answer({ ...answers, 'push.card': () => card(began - 1) })
    await button(words.again).click()
    await expect.poll(() => text('key')).toContain(words.key.expired)
    expect(client.inputs('profiles.test').length).toBe(2)
  })

  it('knows nothing now while the service is down, offers to start it, and tries again when it is back', async () => {
    const { client, tell } = await show({ answers: { 'app.restartService': () => undefined } })
    await expect.poll(() => state('profile')).toBe('ok')
    await tell(service('restarting'))
    await expect.poll(() => [state('profile'), state('key')]).toEqual(['fault', 'wait'])
    expect(text('key')).toContain(words.unknown)
    await button(words.fix.restart).click()
    await expect.poll(() => client.inputs('app.restartService').length).toBe(1)
    const before = client.inputs('profiles.test').length
    await tell(service('running'))
    await expect.poll(() => state('profile')).toBe('ok')
    await expect.poll(() => client.inputs('profiles.test').length).toBeGreaterThan(before)
  })

  it('ends when it is closed, and begins anew when it is opened', async () => {
    const { client, open, tell } = await show()
    await expect.poll(() => state('profile')).toBe('ok')
    await button(en.word.close).last().click()
    await expect.poll(() => open.value).toBe(false)
    await tell(service('restarting'), service('running'))
    expect(client.inputs('profiles.test').length).toBe(1)
    open.value = true
    await expect.poll(() => client.inputs('profiles.test').length).toBe(2)
  })
})

describe('a line of the go-live check', () => {
  it('gets a fresh address for an expired key, and is tried again', async () => {
    const { client } = await show({ answers: { 'push.card': () => card(began - 1) } })
    await expect.poll(() => state('key')).toBe('fault')
    client.answer({
      ...answers,
      'push.renew': () => card(began + 20 * day),
    })
    await button(words.fix.renew).click()
    await expect.poll(() => client.inputs('push.renew')).toEqual([on])
    await expect.poll(() => state('key')).toBe('ok')
  })

  it('copies the push address while nothing arrives, and says so', async () => {
    const { client } = await show({ answers: { 'push.copy': () => ({ text: 'rtmp://host/live/key' }) } })
    await button(words.fix.copy).click()
    await expect.element(button(words.fix.copied)).toBeVisible()
    expect(client.inputs('push.copy')).toEqual([{ ...on, part: 'url' }])
    expect(await navigator.clipboard.readText()).toBe('rtmp://host/live/key')
  })

  it('resumes a disabled channel', async () => {
    const { client } = await show(
      {
        answers: { 'channels.resume': ({ cids }) => ({ results: cids.map((cid) => ({ cid, ok: true, code: null })) }) },
      },
      channel(1, { status: 2 }),
    )
    await button(words.fix.resume).click()
    await expect.poll(() => client.inputs('channels.resume')).toEqual([{ profileId: 'local', cids: [one.cid] }])
  })

  it.each([
    ['opens a room that is closed', { valid: false }, 'fault', words.fix.openRoom, { kind: 'openRoom', on: true }],
    ['lifts the mute of a room', { muted: true }, 'warn', words.fix.unmute, { kind: 'muteRoom', on: false }],
  ] as const)('%s', async (_case, change, says, fix, measure) => {
    const { client } = await show({ answers: { 'operations.chatrooms.get': () => room(change) } })
    await expect.poll(() => state('room')).toBe(says)
    client.answer({ ...answers, 'rooms.act': () => ({ action: roomAction(measure), taken: null }) })
    await button(fix).click()
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toMatchObject([{ profileId: 'local', roomid: 7, measure, why: '' }])
    await expect.poll(() => state('room')).toBe('ok')
  })

  it('says at its place that mending did not work, and why', async () => {
    await show({
      answers: {
        'push.card': () => card(began - 1),
        'push.renew': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await button(words.fix.renew).click()
    await expect.poll(() => line('key')?.querySelector('[role=alert]')?.textContent).toContain(words.fix.failed)
    expect(line('ingest')?.querySelector('[role=alert]')).toBeNull()
  })

  it.each([
    ['the room', {}, words.fix.room, '/room'],
    ['the moderators', { roomid: 7 }, words.fix.moderators, '/settings/moderators'],
  ] as const)('leads to %s, and closes the check', async (_case, linked, fix, place) => {
    const { open, router } = await show({ answers: { 'rooms.linked': () => ({ roomid: null, ...linked }) } })
    await button(fix).first().click()
    await expect.poll(() => router.currentRoute.value.path).toBe(place)
    expect(open.value).toBe(false)
  })

  it('leads to the profiles where a hosted service cannot be reached', async () => {
    const { router } = await show({
      answers: {
        'profiles.test': () => {
          throw failed({ kind: 'unreachable' })
        },
      },
      profile: 'hosted-1',
    })
    await button(words.fix.profiles).first().click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/profiles')
  })

  it('says why the chosen reach does not work', async () => {
    await show({
      answers: {
        'operations.reach.reach': () => ({
          ret: {
            reach: 'port',
            rtmp: false,
            url: 'https://radio.example:8443',
            freeHere: false,
            results: [{ reach: 'port', state: 'fault', reason: 'taken' }],
            doors: [],
            encryption: 'none',
            proxies: [],
            fixed: [],
          },
        }),
      },
    })
    await expect.poll(() => text('share')).toContain('The internet, to this computer, does not get in: port taken.')
  })

  it.each([
    ['share', words.fix.share, { shareAsked: 'begin', targetAsked: null }],
    ['targets', words.fix.target, { shareAsked: null, targetAsked: { targetId: 4 } }],
  ] as const)('closes for the place where a fault of %s is mended', async (name, label, asked) => {
    const { open, pinia } = await show({
      answers: {
        'operations.access.access': () => ({
          ret: { mode: 'everybody', closed: true, passphrase: false, embedOrigins: [], viewers: 0, links: [] },
        }),
        'targets.list': () => ({ targets: [makeTarget(4, { state: 'refused' })], needs: 0, budget: 0, waiting: 0 }),
      },
    })
    await expect.poll(() => state(name)).toBe('fault')
    await button(label).click()
    expect(open.value).toBe(false)
    expect(useDialogs(pinia)).toMatchObject(asked)
  })
})
