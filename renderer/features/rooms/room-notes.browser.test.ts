import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Measure } from '../../../contract/rpc/index.ts'
import { errorTable } from '../../../contract/errors.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, service, starting, withProps } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { roomAction, roomPanel, saidLine, seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { seatsWords } from '../moderators/words.ts'
import { roomPanelWords } from './words-panel.ts'
import { roomHostedWords } from './words-hosted.ts'
import { roomWords } from './words.ts'
import RoomNotes from './room-notes.vue'
import { useRoomPanel } from './room-panel.ts'
import { undoFor } from './room-measures.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')
const roomHostedEn = spoken(roomHostedWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const { roomPanel: deskWords } = roomPanelEn
const at = { profileId: 'local', roomid: 7 }
const open = (options: Parameters<typeof mountedRoom>[1] = {}) =>
  mountedRoom(withProps(RoomNotes, { whole: false }), options)
type Page = Awaited<ReturnType<typeof open>>
const button = (name: string | RegExp) => page.getByRole('button', { name })
const measures = ({ client }: Pick<Page, 'client'>) => client.inputs('rooms.act').map(({ measure }) => measure)
const mute = (target: string): Measure => ({ kind: 'temporaryMute', target, seconds: 600 })
const take = async ({ pinia, tell }: Page, measure: Measure): Promise<boolean> => {
  const isDone = await useRoom(pinia).act(measure)
  await tell()
  return isDone
}
const closed = { phase: 'refused', reason: { code: 'closed', params: {} } } as const

describe('the note that a room is muted', () => {
  const lift = () => button(new RegExp(`^${words.liftRoom}`))

  it('says by whom and since when, and lifts the mute by its button', async () => {
    const shown = await open({ panel: { muted: true, mutedBy: 'mei', mutedAt: began } })
    await expect
      .element(page.getByText(words.mutedSince.replace('{time}', '16:00').replace('{by}', 'mei')))
      .toBeVisible()
    await lift().click()
    await expect
      .poll(() => shown.client.inputs('rooms.act'))
      .toEqual([{ ...at, measure: { kind: 'muteRoom', on: false }, why: '' }])
  })

  it('says only that it is muted where nobody saw who did it, and goes when it is lifted', async () => {
    const { tell } = await open({ panel: { muted: true } })
    await expect.element(page.getByText(words.mutedNow)).toBeVisible()
    await tell({ type: 'room', panel: roomPanel() })
    await expect.element(page.getByText(words.mutedNow)).not.toBeInTheDocument()
    expect(lift().query()).toBeNull()
  })

  it('lifts nothing while the service is down', async () => {
    const shown = await open({ panel: { muted: true } })
    await shown.tell(service('restarting'))
    await expect.element(lift()).toHaveAttribute('title', en.blocker.down)
    await lift().click({ force: true })
    expect(measures(shown)).toEqual([])
  })
})

describe('the note that the line is lost', () => {
  it('is there while the service is down, and goes when it is back', async () => {
    const { tell } = await open()
    expect(page.getByText(deskWords.lostNext).query()).toBeNull()
    await tell(service('restarting'))
    await expect.element(page.getByRole('status').filter({ hasText: deskWords.lostNext })).toBeVisible()
    await tell(service('running'))
    await expect.element(page.getByText(deskWords.lostNext)).not.toBeInTheDocument()
  })

  it('is there while the page has no line to the app', async () => {
    const { lose } = await open()
    await lose()
    await expect.element(page.getByText(deskWords.lostNow)).toBeVisible()
  })
})

describe('the note that the app is outside of a room', () => {
  it.each([
    ['connecting', words.state.connecting],
    ['waiting', words.state.waiting],
  ] as const)('says why: %s', async (phase, says) => {
    await open({ panel: { phase } })
    await expect.element(page.getByText(says)).toBeVisible()
    expect(button(words.state.again).query()).toBeNull()
  })

  it('is not there inside, nor beside the note that the line is lost', async () => {
    const { tell } = await open()
    expect(page.getByRole('status').query()).toBeNull()
    await tell(service('restarting'), { type: 'room', panel: roomPanel({ phase: 'waiting' }) })
    await expect.element(page.getByText(deskWords.lostNext)).toBeVisible()
    expect(page.getByText(words.state.waiting).query()).toBeNull()
  })

  it('enters a room again that refused the app', async () => {
    const { client } = await open({
      panel: { phase: 'refused', reason: { code: 'elsewhere', params: {} } },
      answers: { 'rooms.enter': () => roomPanel() },
    })
    expect(button(words.openRoom).query()).toBeNull()
    await button(words.state.again).click()
    await expect.poll(() => client.inputs('rooms.enter')).toEqual([{ ...at, renew: false }])
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it('opens a closed room, and enters it then', async () => {
    const shown = await open({ panel: closed, answers: { 'rooms.enter': () => roomPanel() } })
    await expect.element(page.getByText(words.state.closed)).toBeVisible()
    expect(button(words.state.again).query()).toBeNull()
    await button(words.openRoom).click()
    await expect.poll(() => measures(shown)).toEqual([{ kind: 'openRoom', on: true }])
    await expect.poll(() => shown.client.inputs('rooms.enter')).toEqual([{ ...at, renew: false }])
  })

  it('does not enter a room that could not be opened', async () => {
    const { client, pinia } = await open({
      panel: closed,
      answers: {
        'rooms.act': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await button(words.openRoom).click()
    await expect.poll(() => useRoom(pinia).refusals.length).toBe(1)
    expect(client.inputs('rooms.enter')).toEqual([])
  })

  it('has no button to open a closed room for a moderator at another computer', async () => {
    await open({ panel: closed, about: { seat } })
    await expect.element(page.getByText(seatsEn.seatPage.closed)).toBeVisible()
    expect(button(words.openRoom).query()).toBeNull()
  })

  it('has the words of a hosted service for its room', async () => {
    await open({
      profile: 'hosted-1',
      panel: {
        profileId: 'hosted-1',
        phase: 'waiting',
        copies: { receiver: 'off', url: null, lastAt: null, verified: null, dropped: 0, elsewhere: 0, readAt: null },
      },
    })
    await expect
      .element(page.getByText(roomHostedEn.roomHosted.phase.waiting.replace('{name}', 'Harbour production')))
      .toBeVisible()
  })

  it('says that lines of viewers do not come where the app could not enter, with the reason', async () => {
    const { pinia, client } = await open({
      answers: {
        'rooms.enter': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await useRoom(pinia).open(7)
    await expect.element(page.getByText(deskWords.outsideNext)).toBeVisible()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    client.answer({ 'rooms.enter': () => roomPanel() })
    await useRoom(pinia).open(7)
    await expect.element(page.getByText(deskWords.outsideNext)).not.toBeInTheDocument()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })
})

describe('the note of what could not be read', () => {
  it('goes when it is closed', async () => {
    const { pinia } = await open({
      answers: {
        'operations.chatrooms.membersByPage': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await useRoom(pinia).readPeople()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    await button(en.word.close).click()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('asks before it makes a new token where none of the host is kept', async () => {
    const { client, pinia } = await open({
      answers: {
        'rooms.enter': () => {
          throw failed({ kind: 'secret' })
        },
      },
    })
    await useRoom(pinia).open(7)
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.state.renewText)
    await button(words.state.renew).click()
    expect(useRoomPanel(pinia).asked).toEqual({ what: 'renew' })
    expect(client.inputs('rooms.enter')).toHaveLength(1)
  })

  it('offers no new token to a moderator at another computer', async () => {
    const { pinia } = await open({
      about: { seat },
      answers: {
        'rooms.enter': () => {
          throw failed({ kind: 'secret' })
        },
      },
    })
    await useRoom(pinia).open(7)
    await expect.element(page.getByRole('alert')).toMatchTextContent(seatsEn.seatPage.outside)
    expect(button(words.state.renew).query()).toBeNull()
  })
})

describe('the note of refused measures', () => {
  it.each([
    ['refused', { kind: 'code', code: 403 }, errorTable[403].sentence.en],
    ['unanswered', { kind: 'unreachable' }, en.failure.unreachable.sentence],
    ['taken', { kind: 'unlogged' }, en.failure.unlogged.sentence],
  ] as const)('says what became of the measure, of whom, and why: %s', async (state, failure, says) => {
    const shown = await open({
      answers: {
        'rooms.act': () => {
          throw failed(failure)
        },
      },
    })
    expect(await take(shown, mute('lee'))).toBe(false)
    const what = words.done.replace('{what}', `${words.measure.temporaryMute} 10 min`).replace('{who}', 'lee')
    await expect
      .element(page.getByRole('alert'))
      .toMatchTextContent(starting(deskWords.not[state].replace('{what}', what)))
    await expect.element(page.getByRole('alert')).toMatchTextContent(says)
  })

  it('names measures with one cause together and others apart, and goes when it is closed', async () => {
    const shown = await open({
      answers: {
        'rooms.act': ({ measure }) => {
          throw failed(measure.kind === 'queueClear' ? { kind: 'late' } : { kind: 'code', code: 403 })
        },
      },
    })
    await take(shown, mute('lee'))
    await take(shown, { kind: 'queueTake', key: 'ana' })
    await take(shown, { kind: 'queueClear' })
    const alerts = page.getByRole('alert')
    await expect.poll(() => alerts.elements().length).toBe(2)
    await expect
      .element(alerts.first())
      .toMatchTextContent(`${words.measure.temporaryMute} 10 min · lee, ${words.measure.queueTake} · ana`)
    await expect.element(alerts.last()).toMatchTextContent(words.measure.queueClear)
    await button(en.word.close).click()
    await expect.element(alerts).not.toBeInTheDocument()
    expect(useRoom(shown.pinia).refusals).toEqual([])
  })
})

it('the note of a line that was not sent says why, until the next one is', async () => {
  const { client, pinia } = await open({
    answers: {
      'rooms.say': () => {
        throw failed({ kind: 'code', code: 416 })
      },
    },
  })
  const panel = useRoomPanel(pinia)
  panel.text = 'hello'
  await panel.say()
  await expect.element(page.getByRole('alert')).toMatchTextContent(errorTable[416].sentence.en)
  client.answer({ 'rooms.say': () => ({ msgid: '12', at: began }) })
  await panel.say()
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
})

describe('the note of who was taken from the queue', () => {
  it('names them for 5 seconds', async () => {
    const shown = await open({
      answers: {
        'rooms.act': ({ measure }) => ({ action: roomAction(measure), taken: { key: 'ana', value: 'first song' } }),
      },
    })
    await take(shown, { kind: 'queueTake', key: 'ana' })
    const note = page.getByText(deskWords.taken.replace('{name}', 'ana'))
    await expect.element(note).toBeVisible()
    await shown.pass(undoFor - 1)
    await expect.element(note).toBeVisible()
    await shown.pass(1)
    await expect.element(note).not.toBeInTheDocument()
  })
})

describe('the note that a longer mute is in force', () => {
  const outlasted = (leftSeconds: number) =>
    open({
      answers: {
        'rooms.act': ({ measure, shortens }) => {
          if (shortens !== true) throw failed({ kind: 'outlasted', leftSeconds })
          return { action: roomAction(measure), taken: null }
        },
      },
    })
  const note = (time: string) =>
    page.getByText(deskWords.outlasted.replace('{name}', 'lee').replace('{time}', time), { exact: true })

  it('says until when it lasts today, and shortens it by its button only', async () => {
    const shown = await outlasted(3_600)
    expect(await take(shown, mute('lee'))).toBe(false)
    await expect.element(note('17:00:00')).toBeVisible()
    expect(useRoom(shown.pinia).refusals).toEqual([])
    await button(deskWords.shorten.replace('{time}', '10 min')).click()
    await expect
      .poll(() => shown.client.inputs('rooms.act')[1])
      .toEqual({ ...at, measure: mute('lee'), why: '', shortens: true })
    await expect.element(note('17:00:00')).not.toBeInTheDocument()
  })

  it('says the date of an end on another day, and goes after 15 seconds', async () => {
    const shown = await outlasted(86_400)
    await take(shown, mute('lee'))
    await expect.element(note('2026-11-27 16:00')).toBeVisible()
    await shown.pass(14_999)
    await expect.element(note('2026-11-27 16:00')).toBeVisible()
    await shown.pass(1)
    await expect.element(note('2026-11-27 16:00')).not.toBeInTheDocument()
  })

  it('sends the reason of the open card with the shorter mute', async () => {
    const shown = await outlasted(3_600)
    const panel = useRoomPanel(shown.pinia)
    panel.show('lee')
    panel.reasonOf('lee').value = 'spam'
    await take(shown, mute('lee'))
    await button(deskWords.shorten.replace('{time}', '10 min')).click()
    await expect.poll(() => shown.client.inputs('rooms.act')[1]?.why).toBe('spam')
  })
})

describe('the note with which a measure is undone', () => {
  const undo = () => button(words.undo)

  it('says what was done to whom, and takes it back by its button', async () => {
    const shown = await open({
      answers: {
        'rooms.act': ({ measure }) => ({ action: roomAction(measure, { id: 4 }), taken: null }),
      },
    })
    await shown.tell(saidLine('11', 'lee', 'hello'))
    await take(shown, { kind: 'blacklist', target: 'lee', on: true })
    await expect
      .element(page.getByRole('status'))
      .toMatchTextContent(
        words.done.replace('{what}', `${words.measure.blacklist} ${words.on}`).replace('{who}', 'lee'),
      )
    await undo().click()
    await expect
      .poll(() => shown.client.inputs('rooms.act')[1])
      .toEqual({ ...at, measure: { kind: 'blacklist', target: 'lee', on: false }, why: '', undoes: 4 })
    await expect.element(undo()).not.toBeInTheDocument()
  })

  it('names only the measure where it is about nobody, and goes after 5 seconds', async () => {
    const shown = await open()
    await take(shown, { kind: 'muteRoom', on: true })
    await expect.element(page.getByRole('status')).toMatchTextContent(`${words.measure.muteRoom} ${words.on}`)
    await shown.pass(undoFor - 1)
    await expect.element(undo()).toBeVisible()
    await shown.pass(1)
    await expect.element(undo()).not.toBeInTheDocument()
  })

  it('sends nothing while the service is down', async () => {
    const shown = await open()
    await take(shown, mute('lee'))
    await shown.tell(service('restarting'))
    await undo().click({ force: true })
    expect(measures(shown)).toEqual([mute('lee')])
  })
})

describe('the notes below the lines', () => {
  const mouse = (type: string): void => {
    page
      .getByText(words.mutedNow)
      .element()
      .dispatchEvent(new PointerEvent(type, { pointerType: 'mouse', bubbles: true }))
  }

  it('leave the space of one that goes while a mouse is on them, until it leaves', async () => {
    const { tell } = await open({ panel: { muted: true, phase: 'waiting' } })
    const height = () => page.getByText(words.mutedNow).element().closest('.overflow-auto')?.clientHeight
    await expect.element(page.getByText(words.state.waiting)).toBeVisible()
    const before = height()
    mouse('pointermove')
    await tell({ type: 'room', panel: roomPanel({ muted: true }) })
    await expect.element(page.getByText(words.state.waiting)).not.toBeInTheDocument()
    expect(height()).toBe(before)
    page
      .getByText(words.mutedNow)
      .element()
      .closest('.overflow-auto')
      ?.dispatchEvent(new PointerEvent('pointerleave', { pointerType: 'mouse' }))
    await expect.poll(height).toBeLessThan(before ?? 0)
  })

  it('have the newest on top, so that no older one moves', async () => {
    const { tell } = await open({ panel: { muted: true } })
    await tell({ type: 'room', panel: roomPanel({ muted: true, phase: 'waiting' }) })
    const top = (text: string) => page.getByText(text).element().getBoundingClientRect().top
    await expect.element(page.getByText(words.state.waiting)).toBeVisible()
    expect(top(words.state.waiting)).toBeLessThan(top(words.mutedNow))
    await tell({ type: 'room', panel: roomPanel({ phase: 'waiting' }) })
    await tell({ type: 'room', panel: roomPanel({ muted: true, phase: 'waiting' }) })
    await expect.poll(() => top(words.mutedNow)).toBeLessThan(top(words.state.waiting))
  })
})
