import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { roomAction, roomPanel } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomWords } from './words.ts'
import RoomAsk from './room-ask.vue'
import { useRoomPanel } from './room-panel.ts'

const en = spoken(frameWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const at = { profileId: 'local', roomid: 7 }
const ask = async (
  asked: ReturnType<typeof useRoomPanel>['asked'],
  options: Parameters<typeof mountedRoom>[1] = {},
) => {
  const shown = await mountedRoom(RoomAsk, options)
  const panel = useRoomPanel(shown.pinia)
  panel.asked = asked
  await expect.element(dialog()).toBeVisible()
  await shown.pass(1)
  return { ...shown, panel }
}
const dialog = () => page.getByRole('dialog')
const yes = (name: string) => dialog().getByRole('button', { name, exact: true })

describe('a question before a measure', () => {
  it.each([
    ['close', words.closeRoom, words.closeAsk, { kind: 'openRoom', on: false }],
    ['clear', words.clearQueue, words.clearAsk, { kind: 'queueClear' }],
  ] as const)('says what it does, and does it with the answer: %s', async (what, title, body, measure) => {
    const { client, panel } = await ask({ what })
    await expect.element(dialog()).toMatchTextContent(title)
    await expect.element(dialog()).toMatchTextContent(body)
    expect(dialog().getByRole('textbox').query()).toBeNull()
    expect(client.inputs('rooms.act')).toEqual([])
    await yes(title.replace('…', '')).click()
    await expect.poll(() => client.inputs('rooms.act')).toEqual([{ ...at, measure, why: '' }])
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(panel.asked).toBeNull()
  })

  it('of a new token enters the room with one', async () => {
    const { client } = await ask({ what: 'renew' }, { answers: { 'rooms.enter': () => roomPanel() } })
    await expect.element(dialog()).toMatchTextContent(words.state.renewText)
    await yes(words.state.renew.replace('…', '')).click()
    await expect.poll(() => client.inputs('rooms.enter')).toEqual([{ ...at, renew: true }])
    expect(client.inputs('rooms.act')).toEqual([])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it.each([
    ['local', words.blacklistText],
    ['hosted-1', words.blacklistTextHosted],
  ] as const)('of a blacklisting says whom and who reads of it: %s', async (profile, says) => {
    const { client } = await ask({ what: 'blacklist', accid: 'lee' }, { profile, panel: { profileId: profile } })
    await expect.element(dialog()).toMatchTextContent(words.blacklistAsk.replace('{name}', 'lee'))
    await expect.element(dialog()).toMatchTextContent(says)
    await dialog().getByRole('textbox', { name: words.reason }).fill(' spam ')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([
        { profileId: profile, roomid: 7, measure: { kind: 'blacklist', target: 'lee', on: true }, why: 'spam' },
      ])
  })

  it('is asked once at a time: it cannot be left or answered again while it is done', async () => {
    const answer = Promise.withResolvers<void>()
    const { client, panel } = await ask(
      { what: 'clear' },
      {
        answers: {
          'rooms.act': async ({ measure }) => {
            await answer.promise
            return { action: roomAction(measure), taken: null }
          },
        },
      },
    )
    await yes(words.clearQueue.replace('…', '')).click()
    await expect.element(yes(en.word.cancel)).toBeDisabled()
    await userEvent.keyboard('{Escape}')
    expect(panel.asked).toEqual({ what: 'clear' })
    await yes(words.clearQueue.replace('…', '')).click({ force: true })
    answer.resolve()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('rooms.act')).toHaveLength(1)
  })

  it.each([
    ['its button', () => yes(en.word.cancel).click()],
    ['Esc', () => userEvent.keyboard('{Escape}')],
  ] as const)('does nothing when it is left by %s', async (_case, leave) => {
    const { client, panel } = await ask({ what: 'close' })
    await leave()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(panel.asked).toBeNull()
    expect(client.inputs('rooms.act')).toEqual([])
  })
})
