import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { channel, service } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomListsWords } from './words-lists.ts'
import RoomChannel from './room-channel.vue'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const roomListsZh = spoken(roomListsWords, 'zh')

const { link: words } = roomListsEn.roomLists
const one = channel(1, { name: 'Studio one' })
const two = channel(2, { name: 'Studio two' })
const listed = (roomid: number, name: string, cid: string | null) => ({
  roomid,
  name,
  creator: 'host',
  valid: true,
  online: 1,
  cid,
})
type Options = Parameters<typeof mountedRoom>[1] & { readonly cid?: string | null; readonly linked?: number | null }
/** Room 7 with its channel, and `linked`, the room to which the other channel belongs. */
const show = ({ cid = one.cid, linked = null, ...options }: Options = {}) => {
  const rooms = [listed(7, 'Seven', cid), listed(8, 'Eight', null)]
  return mountedRoom(RoomChannel, {
    channels: [one, two],
    ...options,
    answers: {
      'rooms.linked': () => ({ roomid: linked }),
      'rooms.link': () => undefined,
      'rooms.list': () => ({ complete: true, rooms, next: null }),
      ...options.answers,
    },
    before: (pinia) => {
      useRoom(pinia).rooms = rooms
    },
  })
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const choose = async (name: string): Promise<void> => {
  await page.getByLabelText(words.chooseChannel).click()
  await page.getByRole('option', { name }).click()
}

describe('the channel of a room', () => {
  it('is named, and leads to Studio', async () => {
    const { router } = await show()
    await button(one.name).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
  })

  it.each([
    ['en', words.none],
    ['zh', roomListsZh.roomLists.link.none],
  ] as const)('is said to be none where there is none, in %s', async (language, text) => {
    await show({ cid: null, language })
    await expect.element(page.getByText(text)).toBeVisible()
  })

  it('has nothing to unlink where there is none', async () => {
    await show({ cid: null })
    await expect.element(page.getByText(words.none)).toBeVisible()
    expect(button(words.unlink).query()).toBeNull()
  })

  it('is said to be deleted, with a button that removes the link', async () => {
    await show({ cid: 'f'.repeat(32) })
    await expect.element(page.getByText(words.channelDeleted)).toBeVisible()
    await expect.element(button(words.unlink)).toBeVisible()
    expect(button(words.openWatch).query()).toBeNull()
  })

  it('has its watch page, which a hosted service does not have', async () => {
    await show()
    await expect.element(button(words.openWatch)).toBeVisible()
    expect(page.getByText(words.kept).query()).toBeNull()
  })

  it('of a hosted service is kept on this computer, and says so', async () => {
    await show({ profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await expect.element(page.getByText(words.kept)).toBeVisible()
    expect(button(words.openWatch).query()).toBeNull()
  })

  it('is linked at once where neither has another one', async () => {
    const { client } = await show({ cid: null })
    await choose(two.name)
    await expect.poll(() => client.inputs('rooms.link')).toEqual([{ profileId: 'local', cid: two.cid, roomid: 7 }])
    expect(dialog().query()).toBeNull()
  })

  it('is changed only after a question that names both sides', async () => {
    const { client } = await show({ linked: 8 })
    await choose(two.name)
    await expect
      .element(dialog())
      .toMatchTextContent(words.moveTitle.replace('{room}', 'Seven').replace('{channel}', two.name))
    await expect.element(dialog()).toMatchTextContent(words.moveText.replace('{other}', one.name))
    await expect.element(dialog()).toMatchTextContent(words.replaceText.replace('{other}', 'Eight'))
    expect(client.inputs('rooms.linked')).toEqual([{ profileId: 'local', cid: two.cid }])
    expect(client.inputs('rooms.link')).toEqual([])
    await dialog().getByRole('button', { name: words.link, exact: true }).click()
    await expect.poll(() => client.inputs('rooms.link')).toEqual([{ profileId: 'local', cid: two.cid, roomid: 7 }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('is unlinked only after a question', async () => {
    const { client } = await show()
    await button(words.unlink).click()
    await expect
      .element(dialog())
      .toMatchTextContent(words.unlinkTitle.replace('{room}', 'Seven').replace('{channel}', one.name))
    await expect.element(dialog()).toMatchTextContent(words.unlinkText)
    expect(client.inputs('rooms.link')).toEqual([])
    await dialog().getByRole('button', { name: words.unlinkDo, exact: true }).click()
    await expect.poll(() => client.inputs('rooms.link')).toEqual([{ profileId: 'local', cid: one.cid, roomid: null }])
  })

  it('stays when the question is cancelled', async () => {
    const { client } = await show()
    await button(words.unlink).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('rooms.link')).toEqual([])
  })

  it('says in the question why it could not be unlinked', async () => {
    await show({
      answers: {
        'rooms.link': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await button(words.unlink).click()
    await dialog().getByRole('button', { name: words.unlinkDo, exact: true }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })

  it('says why a choice could not be looked up, and links nothing', async () => {
    const { client } = await show({
      cid: null,
      answers: {
        'rooms.linked': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await choose(two.name)
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(client.inputs('rooms.link')).toEqual([])
  })

  it('cannot be unlinked while the service is down, and says why', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(button(words.unlink)).toHaveAttribute('title', en.blocker.down)
    await button(words.unlink).click({ force: true })
    expect(dialog().query()).toBeNull()
  })
})
