import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import type { WatchState } from '../../contract/watch.ts'
import { entry, roomLine, roomNotice, viewerLink } from '../testing/viewer-link.ts'
import { createChat } from './chat.ts'
import { chooseNick } from './people.ts'
import { say } from './words.ts'

const room = { roomid: 7, name: 'Room', announcement: '', open: true, muted: false, guests: true } as const
const state: WatchState = {
  title: 'Channel',
  live: true,
  disabled: false,
  time: 0,
  viewers: 1,
  room,
  link: '/link',
  appKey: 'app',
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
  localStorage.clear()
  sessionStorage.clear()
})
afterEach(() => {
  vi.useRealTimers()
  localStorage.clear()
  document.body.replaceChildren()
})
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await vi.advanceTimersByTimeAsync(0)
}
const passed = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms)
  await settle()
}

/** The chat of a channel with a service in memory. */
async function show(answers: Parameters<typeof viewerLink>[0] = {}, first: WatchState = state) {
  const link = viewerLink(answers)
  const fetched: (readonly [string, string | undefined])[] = []
  const status = { guest: 201 }
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
    fetched.push([address, init?.method])
    if (status.guest === 0) return Promise.reject(new TypeError('no network'))
    const body = { accid: `guest${fetched.length}`, token: `token${fetched.length}`, expires: 1 }
    return Promise.resolve(new Response(JSON.stringify(body), { status: status.guest }))
  })
  onTestFinished(() => {
    vi.stubGlobal('fetch', fetch)
  })
  let changes = 0
  const chat = createChat('c1', () => (changes += 1))
  document.body.append(chat.node)
  onTestFinished(() => {
    // Leaves the room, so that nothing goes on after the test.
    chat.show({ ...state, room: { ...room, open: false } })
  })
  chat.show(first)
  await settle()
  const find = (selector: string): HTMLElement => chat.node.querySelector<HTMLElement>(selector)!
  return {
    ...link,
    link,
    chat,
    fetched,
    status,
    changes: () => changes,
    find,
    note: () => (find('.state').hidden ? '' : find('.state').textContent),
    input: chat.node.querySelector<HTMLInputElement>('input[type=text]')!,
    lines: () => [...chat.node.querySelectorAll('.line .said')].map((line) => line.textContent),
    button: (word: Parameters<typeof say>[0]) =>
      [...chat.node.querySelectorAll('button')].find(
        (each) => each.textContent === say(word) || each.getAttribute('aria-label') === say(word),
      )!,
    speak: async (text: string): Promise<void> => {
      const input = chat.node.querySelector<HTMLInputElement>('input[type=text]')!
      input.value = text
      input.dispatchEvent(new Event('input'))
      chat.node.querySelector('form')!.requestSubmit()
      await settle()
    },
  }
}
/** Fills the open dialog and presses its action. */
const answerDialog = async (...texts: string[]): Promise<void> => {
  const dialog = document.querySelector('dialog')!
  const inputs = [...dialog.querySelectorAll('input')]
  for (const [index, text] of texts.entries()) inputs[index]!.value = text
  dialog.querySelector<HTMLButtonElement>('button[type=submit]')!.click()
  await settle()
}
const me = (number = 1): string => `guest${number}`

it('says nothing of a chat before the first answer', () => {
  const chat = createChat('c1', () => undefined)
  const note = chat.node.querySelector<HTMLElement>('.state')!
  expect([note.textContent, note.hidden]).toEqual(['', true])
  const { room: _, ...none } = state
  chat.show(none)
  expect(note.textContent).toBe(say('noRoom'))
})

describe('the chat of a viewer', () => {
  it('enters as a guest of the channel, with a name, and shows the last lines in their order', async () => {
    const { asked, fetched, lines, note, chat, urls, input } = await show({
      roomEnter: ({ nick }) => entry({ nick: String(nick), lines: [roomLine(12, 'second'), roomLine(11, 'first')] }),
    })
    expect(fetched).toEqual([[expect.stringMatching(/\/watch\/c1\/guest$/), 'POST']])
    expect(urls).toEqual([expect.stringMatching(/^ws:\/\/.*\/link$/)])
    expect(asked('login')).toEqual([
      expect.objectContaining({ appKey: 'app', accid: 'guest1', token: 'token1', clientType: 'WEB' }),
    ])
    const [{ nick }] = asked('roomEnter') as [{ nick: string }]
    expect(asked('roomEnter')).toEqual([{ roomid: 7, lines: 50, notices: true, held: true, nick }])
    expect(nick).toMatch(/^Guest \d{4}$/)
    expect(lines()).toEqual(['first', 'second'])
    expect(note()).toBe('')
    expect(chat.node.dataset['state']).toBe('inside')
    expect(input.readOnly).toBe(false)
    expect(input.placeholder).toBe(say('say', { nick }))
  })

  it('uses a link that has an address of its own as it is', async () => {
    const { urls } = await show({}, { ...state, link: 'wss://chat.example/link' })
    expect(urls).toEqual(['wss://chat.example/link'])
  })

  it('keeps the name that the room gave, also for the next visit, and says why it is another one', async () => {
    const first = await show({ roomEnter: () => entry({ nick: 'Robin2', note: 'taken' }) })
    expect(first.note()).toBe(say('nameTaken', { nick: 'Robin2' }))
    expect(first.input.placeholder).toBe(say('say', { nick: 'Robin2' }))
    expect(first.input.readOnly).toBe(false)
    const second = await show()
    expect(second.asked('roomEnter')).toEqual([expect.objectContaining({ nick: 'Robin2' })])
  })

  it('says that the channel has no chat, and has no field then', async () => {
    const { room: _, ...none } = state
    const { note, find, fetched } = await show({}, none)
    expect(note()).toBe(say('noRoom'))
    expect(find('form').hidden).toBe(true)
    expect(find('.foot').hidden).toBe(true)
    expect(fetched).toEqual([])
  })

  it('says that the chat is closed, and enters once it is open', async () => {
    const { note, input, fetched, chat, asked } = await show({}, { ...state, room: { ...room, open: false } })
    expect(note()).toBe(say('roomClosed'))
    expect(input.readOnly).toBe(true)
    expect(input.getAttribute('aria-disabled')).toBe('true')
    expect(chat.node.dataset['state']).toBe('outside')
    expect(fetched).toEqual([])
    chat.show(state)
    await settle()
    expect(asked('roomEnter')).toHaveLength(1)
    expect(input.readOnly).toBe(false)
    expect(input.getAttribute('aria-disabled')).toBe('false')
  })

  it('leaves when the chat is closed', async () => {
    const on = await show()
    on.chat.show({ ...state, room: { ...room, open: false } })
    expect(on.link.connected).toBe(0)
    expect(on.note()).toBe(say('roomClosed'))
  })

  it('goes to the other room that a channel gets', async () => {
    const { chat, asked } = await show()
    chat.show({ ...state, room: { ...room, roomid: 8 } })
    await settle()
    expect(asked('roomEnter').map(({ roomid }) => roomid)).toEqual([7, 8])
  })

  it('enters once, however often the state is told', async () => {
    const { chat, asked, fetched } = await show()
    chat.show(state)
    chat.show({ ...state, viewers: 5 })
    await passed(5000)
    expect([asked('roomEnter').length, fetched.length]).toEqual([1, 1])
  })

  it('asks for no guest where guests may not chat, until they may', async () => {
    const { chat, note, fetched, asked } = await show({}, { ...state, room: { ...room, guests: false } })
    expect(note()).toBe(say('guestsOff'))
    expect(fetched).toEqual([])
    chat.show(state)
    expect(note()).toBe(say('connecting'))
    await settle()
    expect(asked('roomEnter')).toHaveLength(1)
    expect(note()).toBe('')
  })

  it('says that guests may not chat any more once that is known, and asks for it when one is put out', async () => {
    const off = { ...state, room: { ...room, guests: false } }
    const { link, push, chat, note, changes } = await show()
    push({ t: 'kicked', reason: 'blocked' })
    link.drop(4403)
    await settle()
    expect(changes()).toBe(1)
    chat.show(off)
    expect(note()).toBe(say('guestsOff'))
    const cut = await show()
    cut.link.drop(1006)
    await settle()
    cut.chat.show(off)
    expect(cut.note()).toBe(say('guestsOff'))
  })

  it.each([
    ['guests are refused', 403, 'guestsOff', 15_000],
    ['there are too many guests', 429, 'guestsMany', 15_000],
    ['the service has no place', 503, 'guestsMany', 15_000],
    ['the service does not answer', 0, 'reconnecting', 2000],
    ['the service has a fault', 500, 'reconnecting', 15_000],
  ] as const)('says that %s, and asks again after a pause', async (_case, refusal, word, pause) => {
    const { chat, note, status, fetched, asked } = await show({}, { ...state, room: { ...room, open: false } })
    status.guest = refusal
    chat.show(state)
    await settle()
    expect(note()).toBe(say(word))
    status.guest = 201
    await passed(pause - 1)
    // A state that is told meanwhile does not end the pause.
    chat.show(state)
    await settle()
    expect(fetched).toHaveLength(1)
    await passed(1)
    expect(fetched).toHaveLength(2)
    expect(asked('roomEnter')).toHaveLength(1)
  })

  it('becomes another guest half a second after a log-in was refused', async () => {
    let isRefused = true
    const { fetched, note, asked } = await show({
      login: ({ accid }) =>
        isRefused ? { refused: 403 } : { accid: String(accid), time: 0, seq: 0, unread: 0, donnop: false, others: [] },
    })
    expect(note()).toBe(say('connecting'))
    isRefused = false
    await passed(499)
    expect(fetched).toHaveLength(1)
    await passed(1)
    expect(fetched).toHaveLength(2)
    expect(asked('roomEnter')).toHaveLength(1)
    expect(note()).toBe('')
  })

  it('stays outside for good when the guest is in use elsewhere', async () => {
    const { link, push, note, fetched, input } = await show()
    push({ t: 'kicked', reason: 'elsewhere' })
    link.drop(4403)
    await passed(60_000)
    expect(note()).toBe(say('elsewhere'))
    expect(input.readOnly).toBe(true)
    expect(fetched).toHaveLength(1)
  })

  it('says that the connection is gone, and enters again with the same guest', async () => {
    const { link, note, asked, fetched, input } = await show()
    link.drop(1006)
    await settle()
    expect(note()).toBe(say('reconnecting'))
    expect(input.readOnly).toBe(true)
    await passed(600)
    expect(asked('roomEnter')).toHaveLength(2)
    expect(fetched).toHaveLength(1)
    expect(note()).toBe('')
  })

  it('has the name that was chosen in another tab, also after a break', async () => {
    const { link, input, asked } = await show()
    dispatchEvent(new StorageEvent('storage', { key: 'sidestage-nick', newValue: 'Wren' }))
    expect(input.placeholder).toBe(say('say', { nick: 'Wren' }))
    link.drop(1006)
    await passed(600)
    expect(asked('roomEnter').at(-1)).toMatchObject({ nick: 'Wren' })
  })

  it('has the name that another tab got while it asked for its guest', async () => {
    const { asked, chat, fetched, status } = await show({}, { ...state, room: { ...room, open: false } })
    expect([fetched, status.guest]).toEqual([[], 201])
    chooseNick('Wren')
    chat.show(state)
    await settle()
    expect(asked('roomEnter')).toEqual([expect.objectContaining({ nick: 'Wren' })])
  })
})

describe('a line of a viewer', () => {
  it('is sent without the space around it, is shown once, and leaves the field', async () => {
    const { speak, asked, lines, input, push } = await show({
      roomSend: () => ({ msgid: '50', at: 50 }),
    })
    await speak('  hello  ')
    expect(asked('roomSend')).toEqual([{ roomid: 7, type: 0, attach: 'hello', clientId: expect.any(String) }])
    expect(input.value).toBe('')
    expect(lines()).toEqual(['hello'])
    push({ t: 'roomMessage', ...roomLine(50, 'hello', { from: me() }) })
    expect(lines()).toEqual(['hello'])
  })

  it('has the name of the guest', async () => {
    const { speak, find } = await show({ roomSend: () => ({ msgid: '50', at: 50 }) })
    await speak('hello')
    expect(find('.line .name').textContent).toBe('Robin')
  })

  it.each(['', '   '])('that is empty is not sent: %j', async (text) => {
    const { speak, asked, note } = await show()
    await speak(text)
    expect([asked('roomSend'), note()]).toEqual([[], ''])
  })

  it('of which nothing can be seen is not sent, and stays in the field', async () => {
    const { speak, asked, note, input } = await show()
    await speak('​⁠')
    expect([asked('roomSend'), note()]).toEqual([[], say('unseen')])
    expect(input.value).toBe('​⁠')
  })

  it.each([
    ['too fast', 416, 'tooFast'],
    ['for another reason', 403, 'notSent'],
  ] as const)('that was refused comes back before what was typed since, and says why: %s', async (_c, code, word) => {
    const gate = Promise.withResolvers<{ refused: number }>()
    const { speak, note, input, lines } = await show({ roomSend: () => gate.promise })
    await speak('first')
    input.value = 'second'
    gate.resolve({ refused: code })
    await settle()
    expect(input.value).toBe('first second')
    expect(note()).toBe(say(word))
    expect(lines()).toEqual([])
    input.dispatchEvent(new Event('input'))
    expect(note()).toBe('')
  })

  it('has at most 200 characters, which are counted as they are typed', async () => {
    const { input, find } = await show()
    expect(input.maxLength).toBe(200)
    expect(find('.left').textContent).toBe('0 / 200')
    input.value = 'a😀'
    input.dispatchEvent(new Event('input'))
    expect(find('.left').textContent).toBe('2 / 200')
  })

  it.each([
    ['a limited person', entry({ type: -1 }), 'youMuted'],
    ['an ordinary person of a muted room', entry({ room: { ...entry().room, muted: true } }), 'roomMuted'],
  ] as const)('is not taken of %s', async (_case, answer, word) => {
    const { speak, note, asked, input, button } = await show({ roomEnter: () => answer })
    expect(note()).toBe(say(word))
    expect(input.readOnly).toBe(true)
    expect(button('send').getAttribute('aria-disabled')).toBe('true')
    await speak('hello')
    expect(asked('roomSend')).toEqual([])
    expect(input.value).toBe('hello')
  })

  it.each([1, 2])('is taken of host and moderators of a muted room, who have no slow mode: type %i', async (type) => {
    const { note, input, find } = await show({
      roomEnter: () => entry({ type, room: { ...entry().room, muted: true, slow: 9 } }),
    })
    expect(note()).toBe('')
    expect(input.readOnly).toBe(false)
    expect(find('.foot').textContent).not.toContain(say('slow', { seconds: 9 }))
  })

  it('waits while one is muted for a time, which counts down', async () => {
    const { note, input, find } = await show({ roomEnter: () => entry({ mutedFor: 3 }) })
    expect(note()).toBe(say('youMutedFor', { time: '3 s' }))
    expect(find('.state').getAttribute('aria-live')).toBe('polite')
    await passed(1000)
    expect(note()).toBe(say('youMutedFor', { time: '2 s' }))
    // Its time alone is not read out each second.
    expect(find('.state').getAttribute('aria-live')).toBe('off')
    await passed(2000)
    expect([note(), find('.state').getAttribute('aria-live')]).toEqual(['', 'polite'])
    expect(input.readOnly).toBe(false)
  })

  it('that comes too early in slow mode is told when the next one may come, and no longer than that', async () => {
    const slow = { room: { ...entry().room, slow: 9 } }
    const isRefused = { now: false }
    const { speak, note, push, button } = await show({
      roomEnter: () => entry(slow),
      roomSend: () => (isRefused.now ? { refused: 416 } : { msgid: '21', at: 0 }),
    })
    await speak('first')
    isRefused.now = true
    await passed(2500)
    await speak('second')
    expect(note()).toBe(say('tooFastFor', { seconds: 7 }))
    await passed(7000)
    expect([note(), button('send').getAttribute('aria-disabled')]).toEqual(['', 'false'])
    await speak('second')
    expect(note()).toBe(say('tooFastFor', { seconds: 9 }))
    push({ t: 'roomMessage', ...roomNotice(22, roomNotices.updated, { slow: 0 }) })
    expect([note(), button('send').getAttribute('aria-disabled')]).toEqual(['', 'false'])
  })

  it('that comes too early is counted down, and not sent before, while it stays and is written on', async () => {
    const { speak, note, asked, find, input, button } = await show({
      roomEnter: () => entry({ room: { ...entry().room, slow: 5 } }),
      roomSend: () => ({ refused: 416 }),
    })
    await speak('early')
    const send = button('send')
    expect([note(), find('.state').getAttribute('aria-live')]).toEqual([say('tooFastFor', { seconds: 5 }), 'polite'])
    expect(find(`#${send.getAttribute('aria-describedby')}`).textContent).toBe(note())
    expect([send.getAttribute('aria-disabled'), input.readOnly]).toEqual(['true', false])
    for (const seconds of [4, 3, 2]) {
      await passed(1000)
      // Its seconds are not read out one by one.
      expect([note(), find('.state').getAttribute('aria-live')]).toEqual([say('tooFastFor', { seconds }), 'off'])
    }
    await speak('early and late')
    expect([asked('roomSend').length, input.value]).toEqual([1, 'early and late'])
    expect(note()).toBe(say('tooFastFor', { seconds: 2 }))
    await passed(2000)
    expect([note(), send.getAttribute('aria-disabled'), input.value]).toEqual(['', 'false', 'early and late'])
    await speak('early and late')
    expect(asked('roomSend').length).toBe(2)
  })

  it('of another person does not wait for what was said too early before', async () => {
    const { speak, note, button } = await show({
      roomEnter: () => entry({ room: { ...entry().room, slow: 60 } }),
      roomSend: () => ({ refused: 416 }),
    })
    await speak('early')
    button('signIn').click()
    await answerDialog('ana', 'token-of-ana')
    expect([note(), button('send').getAttribute('aria-disabled')]).toEqual(['', 'false'])
  })

  it('that is not answered after a second is said to be on its way, until it is', async () => {
    const gate = Promise.withResolvers<{ msgid: string; at: number }>()
    const { speak, note, lines } = await show({ roomSend: () => gate.promise })
    await speak('first')
    await passed(999)
    expect(note()).toBe('')
    await passed(1)
    expect(note()).toBe(say('sending'))
    gate.resolve({ msgid: '21', at: 0 })
    await settle()
    expect([note(), lines()]).toEqual(['', ['first']])
  })

  it('has a note of the slow mode beside it', async () => {
    const { find, push } = await show({ roomEnter: () => entry({ room: { ...entry().room, slow: 9 } }) })
    expect(find('.foot').textContent).toContain(say('slow', { seconds: 9 }))
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.updated, { slow: 0 }) })
    expect(find('.foot').textContent).not.toContain('Slow mode')
  })
})

describe('what is told of a room', () => {
  it('are lines, which can be deleted again', async () => {
    const { push, lines } = await show()
    push({ t: 'roomMessage', ...roomLine(20, 'one') })
    push({ t: 'roomMessage', ...roomLine(21, 'two') })
    expect(lines()).toEqual(['one', 'two'])
    push({ t: 'roomRecall', roomid: 7, msgid: '20', at: 22, from: 'kestrel', clientId: '', operator: 'host' })
    expect(lines()).toEqual(['two'])
  })

  it('tells who is muted of it once, below the log, and the others in it', async () => {
    const { push, note, lines } = await show({
      roomEnter: () => entry({ lines: [roomNotice(11, roomNotices.muted, { target: [me()] })] }),
    })
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.mutedForAWhile, { target: [me()], muteDuration: 60 }) })
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.mutedForAWhile, { target: ['other'], tarNick: ['Other'] }) })
    push({ t: 'roomMessage', ...roomNotice(22, roomNotices.muteForAWhileLifted, { target: [me()], expired: true }) })
    expect(note()).toBe(say('muteOver'))
    expect(lines()).toEqual([say('wasMutedFor', { name: 'Other', time: say('seconds', { number: 0 }) })])
  })

  it('tells who may speak again, or was removed, of it once, below the log', async () => {
    const { push, note, lines } = await show({ roomEnter: () => entry({ type: -1 }) })
    expect(note()).toBe(say('youMuted'))
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.unmuted, { target: [me()], tarNick: ['Robin'] }) })
    expect([note(), lines()]).toEqual([say('muteLifted'), []])
    await passed(10_000)
    expect(note()).toBe('')
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.blacklisted, { target: [me()], tarNick: ['Robin'] }) })
    push({ t: 'roomMessage', ...roomNotice(22, roomNotices.blacklisted, { target: ['b'], tarNick: ['Bo'] }) })
    push({ t: 'roomOut', roomid: 7, reason: 'blacklisted' })
    expect([note(), lines()]).toEqual([say('banned'), [say('wasRemoved', { name: 'Bo' })]])
  })

  it('mutes and unmutes oneself, not others', async () => {
    const { push, note } = await show()
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.muted, { target: ['other'] }) })
    expect(note()).toBe('')
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.muted, { target: [me()] }) })
    expect(note()).toBe(say('youMuted'))
    push({ t: 'roomMessage', ...roomNotice(22, roomNotices.unmuted, { target: [me()] }) })
    expect(note()).toBe(say('muteLifted'))
  })

  it('mutes oneself for a while, and says for 10 s that it is over', async () => {
    const { push, note } = await show()
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.mutedForAWhile, { target: [me()], muteDuration: 60 }) })
    expect(note()).toBe(say('youMutedFor', { time: '1 min' }))
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.muteForAWhileLifted, { target: [me()], expired: true }) })
    expect(note()).toBe(say('muteOver'))
    await passed(9999)
    expect(note()).toBe(say('muteOver'))
    await passed(1)
    expect(note()).toBe('')
  })

  it('says that a mute was lifted early, and nothing where another one holds', async () => {
    const { push, note } = await show()
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.mutedForAWhile, { target: [me()], muteDuration: 60 }) })
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.muteForAWhileLifted, { target: [me()], stillMuted: true }) })
    expect(note()).toBe('')
    push({ t: 'roomMessage', ...roomNotice(22, roomNotices.muteForAWhileLifted, { target: [me()] }) })
    expect(note()).toBe(say('muteLifted'))
  })

  it('mutes and unmutes the room', async () => {
    const { push, note } = await show()
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.roomMuted) })
    expect(note()).toBe(say('roomMuted'))
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.roomUnmuted) })
    expect(note()).toBe('')
  })

  it('does not say again that a mute was lifted after the room was muted in between', async () => {
    const { push, note } = await show()
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.muted, { target: [me()] }) })
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.unmuted, { target: [me()] }) })
    expect(note()).toBe(say('muteLifted'))
    push({ t: 'roomMessage', ...roomNotice(22, roomNotices.roomMuted) })
    expect(note()).toBe(say('roomMuted'))
    push({ t: 'roomMessage', ...roomNotice(23, roomNotices.roomUnmuted) })
    expect(note()).toBe('')
  })

  it('makes one a moderator and reads who they are', async () => {
    const { push, note, asked, find, answer } = await show({
      roomEnter: () => entry({ room: { ...entry().room, muted: true }, lines: [roomLine(11, 'hi')] }),
    })
    expect(note()).toBe(say('roomMuted'))
    expect(asked('roomMembers')).toEqual([{ roomid: 7, type: 0, limit: 100 }])
    expect(find('.badge').hidden).toBe(true)
    answer({
      roomMembers: () => ({
        members: [
          { accid: 'kestrel', nick: 'Kestrel', type: 2, onlineStat: true },
          { accid: 'other', nick: '', type: 0, onlineStat: true },
        ],
      }),
    })
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.adminSet, { target: [me()] }) })
    await settle()
    expect(note()).toBe('')
    expect(asked('roomMembers')).toHaveLength(2)
    expect(find('.badge').textContent).toBe(say('moderator'))
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.adminUnset, { target: [me()] }) })
    expect(note()).toBe(say('roomMuted'))
  })

  it('marks the lines of the host', async () => {
    const { find } = await show({ roomEnter: () => entry({ lines: [roomLine(11, 'hi', { from: 'host' })] }) })
    expect(find('.badge').textContent).toBe(say('host'))
    expect(find('.badge').hidden).toBe(false)
  })

  it('asks for the state of the channel after a change of the room alone', async () => {
    const { push, changes } = await show()
    push({ t: 'roomMessage', ...roomLine(20, 'one') })
    expect(changes()).toBe(0)
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.updated, {}) })
    expect(changes()).toBe(1)
  })

  it('says that the room was closed', async () => {
    const { push, note, chat, asked } = await show()
    push({ t: 'roomOut', roomid: 7, reason: 'closed' })
    expect(note()).toBe(say('roomClosed'))
    // Closed and opened between two looks.
    chat.show(state)
    await settle()
    expect(asked('roomEnter')).toHaveLength(2)
    expect(note()).toBe('')
  })

  it('says that one was removed, and tries again after 2.5 s, then after twice as long each time', async () => {
    const { push, note, asked, answer } = await show()
    answer({ roomEnter: () => ({ refused: 13003 }) })
    push({ t: 'roomOut', roomid: 7, reason: 'blacklisted' })
    expect(note()).toBe(say('banned'))
    let tries = 1
    for (const pause of [2500, 5000, 10_000, 20_000, 20_000]) {
      await passed(pause - 1)
      expect(asked('roomEnter')).toHaveLength(tries)
      await passed(1)
      expect(asked('roomEnter')).toHaveLength((tries += 1))
      expect(note()).toBe(say('banned'))
    }
    answer({ roomEnter: () => entry() })
    await passed(20_000)
    expect(note()).toBe('')
  })

  it('is not read by one who was refused for good', async () => {
    const { note, asked, link } = await show({ roomEnter: () => ({ refused: 13002 }) })
    expect(note()).toBe(say('roomClosed'))
    await passed(60_000)
    expect([asked('roomEnter').length, link.connected]).toEqual([1, 0])
  })

  it('tries another seat 2 s after an entry that failed otherwise', async () => {
    let isRefused = true
    const { asked, note } = await show({ roomEnter: () => (isRefused ? { refused: 404 } : entry()) })
    expect(note()).toBe(say('reconnecting'))
    isRefused = false
    await passed(1999)
    expect(asked('roomEnter')).toHaveLength(1)
    await passed(1)
    expect(asked('roomEnter')).toHaveLength(2)
    expect(note()).toBe('')
  })
})

describe('lines of the history that come in parts', () => {
  it('are read up to 50, and lines that come meanwhile stand below them', async () => {
    const gate = Promise.withResolvers<undefined>()
    const { asked, lines, push } = await show({
      roomEnter: () => entry({ lines: [roomLine(13, 'third'), roomLine(12, 'second')], more: true }),
      roomHistory: async () => {
        await gate.promise
        return { lines: [roomLine(11, 'first')], more: false }
      },
    })
    expect(asked('roomHistory')).toEqual([{ roomid: 7, before: 12, limit: 48, notices: true }])
    push({ t: 'roomMessage', ...roomLine(14, 'fourth') })
    expect(lines()).toEqual([])
    gate.resolve(undefined)
    await settle()
    expect(lines()).toEqual(['first', 'second', 'third', 'fourth'])
  })

  it('are not asked for again where an answer has none', async () => {
    const { asked, lines } = await show({
      roomEnter: () => entry({ lines: [roomLine(13, 'third')], more: true }),
      roomHistory: () => ({ lines: [], more: true }),
    })
    expect(asked('roomHistory')).toHaveLength(1)
    expect(lines()).toEqual(['third'])
  })

  it('that could not be read leave those that were', async () => {
    const { lines } = await show({
      roomEnter: () => entry({ lines: [roomLine(13, 'third')], more: true }),
      roomHistory: () => ({ refused: 500 }),
    })
    expect(lines()).toEqual(['third'])
  })

  it('keep the last 300 lines that came meanwhile', async () => {
    const gate = Promise.withResolvers<undefined>()
    const { lines, push } = await show({
      roomEnter: () => entry({ lines: [roomLine(1, 'oldest')], more: true }),
      roomHistory: async () => {
        await gate.promise
        return { lines: [], more: false }
      },
    })
    for (let number = 2; number <= 303; number++) push({ t: 'roomMessage', ...roomLine(number, `line ${number}`) })
    gate.resolve(undefined)
    await settle()
    expect([lines().length, lines()[0], lines().at(-1)]).toEqual([300, 'line 4', 'line 303'])
  })
})

describe('the person who chats', () => {
  it('changes the name, without leaving the room', async () => {
    const { button, asked, input } = await show({
      roomEnter: ({ nick }) => entry({ nick: nick === 'Wren' ? 'Wren' : 'Robin' }),
    })
    button('nameAction').click()
    expect(document.querySelector('dialog input')).toHaveProperty('value', 'Robin')
    expect(document.querySelector('dialog input')).toHaveProperty('maxLength', 20)
    await answerDialog('Wren')
    expect(asked('roomEnter').at(-1)).toMatchObject({ roomid: 7, nick: 'Wren' })
    expect(asked('login')).toHaveLength(1)
    expect(input.placeholder).toBe(say('say', { nick: 'Wren' }))
  })

  it('signs in with an account, which has no other name, and out again', async () => {
    const { button, asked, input, link, fetched } = await show()
    button('signIn').click()
    const [account, token] = [...document.querySelectorAll('dialog input')]
    expect([account, token].map((each) => each?.getAttribute('type'))).toEqual(['text', 'password'])
    await answerDialog('Kestrel', 'secret')
    expect(link.connected).toBe(1)
    expect(asked('login').at(-1)).toMatchObject({ accid: 'kestrel', token: 'secret' })
    expect(asked('roomEnter').at(-1)).toEqual({ roomid: 7, lines: 50, notices: true, held: true })
    expect(input.placeholder).toBe(say('say', { nick: 'kestrel' }))
    expect(button('nameAction').hidden).toBe(true)
    expect(localStorage.getItem('sidestage-nick')).toBe('Robin')
    button('signOut').click()
    await settle()
    expect(asked('login').at(-1)).toMatchObject({ accid: 'guest2' })
    expect(fetched).toHaveLength(2)
    expect(button('nameAction').hidden).toBe(false)
    expect(button('signIn')).toBeDefined()
  })

  it.each([
    ['is not right', 414, 'signInRefused'],
    ['is not let in over plain HTTP, whatever its token is', 403, 'signInBarred'],
  ] as const)('is a guest again where the account %s, and told so', async (_why, code, word) => {
    const { button, asked, note } = await show({
      login: ({ accid }) =>
        accid === 'kestrel'
          ? { refused: code }
          : { accid: String(accid), time: 0, seq: 0, unread: 0, donnop: false, others: [] },
    })
    button('signIn').click()
    await answerDialog('kestrel', 'wrong')
    await passed(500)
    expect(asked('login').at(-1)).toMatchObject({ accid: 'guest2' })
    expect(note()).toBe(say(word))
    expect(button('signIn')).toBeDefined()
  })

  it('may chat with an account where guests may not', async () => {
    const { button, asked, fetched } = await show({}, { ...state, room: { ...room, guests: false } })
    button('signIn').click()
    await answerDialog('kestrel', 'secret')
    expect(asked('roomEnter')).toHaveLength(1)
    expect(fetched).toEqual([])
  })

  it('reads larger text on request', async () => {
    const { find, chat } = await show()
    find('[role=switch]').click()
    expect(chat.node.classList.contains('large')).toBe(true)
    find('[role=switch]').click()
    expect(chat.node.classList.contains('large')).toBe(false)
  })

  it('finds its larger text again, and in this tab the line that was not sent yet', async () => {
    const first = await show()
    first.find('[role=switch]').click()
    first.input.value = 'half a li'
    first.input.dispatchEvent(new Event('input'))
    const again = await show()
    expect(again.chat.node.classList.contains('large')).toBe(true)
    expect(again.find('[role=switch]')).toHaveProperty('checked', true)
    expect([again.input.value, again.find('.left').textContent]).toEqual(['half a li', '9 / 200'])
    await again.speak('half a line')
    const third = await show()
    expect(third.input.value).toBe('')
    expect(sessionStorage).toHaveLength(0)
    third.find('[role=switch]').click()
    expect((await show()).chat.node.classList.contains('large')).toBe(false)
  })
})

describe('a chat that is in the room again', () => {
  it('has the name that the room gave before', async () => {
    const { link, asked } = await show({ roomEnter: () => entry({ nick: 'Robin2' }) })
    link.drop(1006)
    await passed(600)
    expect(asked('roomEnter')[1]).toMatchObject({ nick: 'Robin2' })
  })

  it('shows no line twice that both answers have', async () => {
    const { link, lines } = await show({ roomEnter: () => entry({ lines: [roomLine(11, 'first')] }) })
    link.drop(1006)
    await passed(600)
    expect(lines()).toEqual(['first'])
  })

  it('takes no answer to an entry before the last one', async () => {
    const gates = [Promise.withResolvers<ReturnType<typeof entry>>(), Promise.withResolvers<ReturnType<typeof entry>>()]
    let entries = 0
    const { button, input, asked } = await show({
      roomEnter: ({ nick }) => (entries++ === 0 ? entry({ nick: String(nick) }) : gates[entries - 2]!.promise),
    })
    for (const name of ['Wren', 'Finch']) {
      button('nameAction').click()
      await answerDialog(name)
    }
    expect(asked('roomEnter')).toHaveLength(3)
    gates[1]!.resolve(entry({ nick: 'Finch' }))
    await settle()
    gates[0]!.resolve(entry({ nick: 'Wren' }))
    await settle()
    expect(input.placeholder).toBe(say('say', { nick: 'Finch' }))
  })

  it('waits for the connection where a name is changed while there is none, and has it then', async () => {
    const { link, button, asked } = await show({ roomEnter: ({ nick }) => entry({ nick: String(nick) }) })
    link.drop(1006)
    await settle()
    button('nameAction').click()
    await answerDialog('Wren')
    expect(asked('roomEnter')).toHaveLength(1)
    await passed(600)
    expect(asked('roomEnter').at(-1)).toMatchObject({ nick: 'Wren' })
  })
})

describe('what the chat says below the lines', () => {
  it.each([
    ['reserved', 'nameReserved'],
    ['caught', 'nameCaught'],
    ['later', 'nameLater'],
  ] as const)('is why the name is another one: %s', async (why, word) => {
    const { note } = await show({ roomEnter: () => entry({ nick: 'Robin2', note: why }) })
    expect(note()).toBe(say(word, { nick: 'Robin2' }))
  })

  it('is not of a mute of somebody else', async () => {
    const { push, note } = await show()
    push({ t: 'roomMessage', ...roomNotice(20, roomNotices.mutedForAWhile, { target: ['other'], muteDuration: 60 }) })
    expect(note()).toBe('')
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.mutedForAWhile, { target: [me()], muteDuration: 60 }) })
    push({ t: 'roomMessage', ...roomNotice(22, roomNotices.muteForAWhileLifted, { target: ['other'] }) })
    expect(note()).toBe(say('youMutedFor', { time: '1 min' }))
    push({ t: 'roomMessage', ...roomNotice(23, roomNotices.muteForAWhileLifted, { target: [me()] }) })
    push({ t: 'roomMessage', ...roomNotice(24, roomNotices.adminSet, { target: ['other'] }) })
    push({ t: 'roomMessage', ...roomNotice(25, roomNotices.roomMuted) })
    expect(note()).toBe(say('roomMuted'))
  })

  it('stays where it has told something else since the mute was over', async () => {
    const { push, note, speak } = await show()
    push({ t: 'roomMessage', ...roomNotice(21, roomNotices.muteForAWhileLifted, { target: [me()], expired: true }) })
    await speak('\u200B')
    await passed(10_000)
    expect(note()).toBe(say('unseen'))
  })

  it('is gone once one writes on', async () => {
    const { input, note } = await show({ roomEnter: () => entry({ nick: 'Robin2', note: 'taken' }) })
    input.dispatchEvent(new Event('input'))
    expect(note()).toBe('')
  })
})

it('a sign-in takes an account of 32 letters and a token of 128', async () => {
  const { button } = await show()
  button('signIn').click()
  expect([...document.querySelectorAll('dialog input')].map((input) => (input as HTMLInputElement).maxLength)).toEqual([
    32, 128,
  ])
  expect(document.querySelector('dialog .note')?.textContent).toBe(say('signInNote'))
})

it('tries a seat again 2.5 s after one was removed anew, however long it waited before', async () => {
  const { push, note, asked, answer } = await show()
  const removed = (): void => {
    answer({ roomEnter: () => ({ refused: 13003 }) })
    push({ t: 'roomOut', roomid: 7, reason: 'blacklisted' })
  }
  removed()
  await passed(2500)
  await passed(5000)
  answer({ roomEnter: () => entry() })
  await passed(10_000)
  expect([note(), asked('roomEnter').length]).toEqual(['', 4])
  removed()
  await passed(2499)
  expect(asked('roomEnter')).toHaveLength(4)
  await passed(1)
  expect(asked('roomEnter')).toHaveLength(5)
})

it('reads no lines any more that come after one was put out', async () => {
  const gate = Promise.withResolvers<undefined>()
  const { push, lines, note } = await show({
    roomEnter: () => entry({ lines: [roomLine(13, 'third')], more: true }),
    roomHistory: async () => {
      await gate.promise
      return { lines: [roomLine(11, 'first')], more: false }
    },
  })
  push({ t: 'roomOut', roomid: 7, reason: 'closed' })
  gate.resolve(undefined)
  await settle()
  expect([lines(), note()]).toEqual([[], say('roomClosed')])
})

describe('an own line that waits for a moderator', () => {
  const held = { held: true, msgid: '30', at: 30 } as const
  const decided = (allow: boolean) => ({ t: 'roomDecided', roomid: 7, msgid: '30', allow })

  it('says so, and is a line like others once it is let through, where it is said', async () => {
    const { speak, push, lines, find } = await show({ roomSend: () => held })
    await speak('more kumquat')
    expect([lines(), find('.fate').textContent]).toEqual([['more kumquat'], say('waits')])
    push({ t: 'roomMessage', ...roomLine(31, 'meanwhile') })
    push({ t: 'roomMessage', ...roomLine(30, 'more kumquat', { from: me() }) })
    push(decided(true))
    expect(lines()).toEqual(['meanwhile', 'more kumquat'])
    expect([...document.querySelectorAll('.fate')].map(({ textContent }) => textContent)).toEqual(['', ''])
  })

  it('is marked as not said when it is dropped', async () => {
    const { speak, push, lines, find } = await show({ roomSend: () => held })
    await speak('more kumquat')
    push({ ...decided(false), msgid: '29' })
    expect(find('.fate').textContent).toBe(say('waits'))
    push(decided(false))
    expect([lines(), find('.fate').textContent]).toEqual([['more kumquat'], say('dropped')])
    expect(find('.line').dataset['fate']).toBe('dropped')
  })

  it('waits after a reload too', async () => {
    const { lines, find } = await show({
      roomEnter: () => entry({ lines: [roomLine(11, 'hi')], held: [roomLine(30, 'more kumquat', { from: me() })] }),
    })
    expect([lines(), find('[data-fate]').textContent]).toEqual([
      ['hi', 'more kumquat'],
      expect.stringContaining(say('waits')),
    ])
    expect(find('[data-fate] .own').textContent).toBe(say('you'))
  })

  it('is gone after a reconnection where it was dropped meanwhile, and said where it was let through', async () => {
    const { speak, drop, lines, answer } = await show({ roomSend: () => held })
    await speak('more kumquat')
    answer({ roomSend: () => ({ ...held, msgid: '32' }) })
    await speak('another')
    answer({ roomEnter: () => entry({ lines: [roomLine(32, 'another', { from: me() })], held: [] }) })
    drop(1006)
    await passed(5000)
    expect(lines()).toEqual(['another'])
    expect(document.querySelector('[data-fate]')).toBeNull()
  })

  it('is read out as waiting', async () => {
    const { speak, find } = await show({ roomSend: () => held })
    await speak('more kumquat')
    await passed(2000)
    expect(find('.heard').textContent).toBe(say('waits'))
  })
})
