import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { roomAction } from '../../testing/room-values.ts'
import RoomQueue from './room-queue.vue'
import { spoken } from '../../format/languages.ts'
import { roomWords } from './words.ts'

const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const button = (name: string) => page.getByRole('button', { name, exact: true })
const keyField = () => page.getByRole('textbox', { name: words.addKey, exact: true })
const valueField = () => page.getByRole('textbox', { name: words.addValue, exact: true })

/** The queue of a room in which `mei` waits. */
const open = () =>
  mountedRoom(RoomQueue, {
    props: { tab: true },
    answers: {
      'rooms.act': ({ measure }) => {
        if (measure.kind === 'queueAdd' && measure.fresh && measure.key === 'mei') throw failed({ kind: 'changed' })
        return { action: roomAction(measure), taken: null }
      },
    },
  })
const added = (client: Awaited<ReturnType<typeof open>>['client']) =>
  client.inputs('rooms.act').map(({ measure }) => measure)

/** Enters a name that waits already. */
async function enterTaken(): Promise<void> {
  await button(words.addQueue).first().click()
  await keyField().fill('mei')
  await valueField().fill('a song')
  await button(words.addQueue).last().click()
  await expect.element(button(words.replaceIt)).toBeVisible()
}

describe('the queue of a room', () => {
  it('replaces who waits already only when asked to', async () => {
    const { client } = await open()
    await enterTaken()
    await button(words.replaceIt).click()
    await expect.poll(() => added(client).at(-1)).toEqual({ kind: 'queueAdd', key: 'mei', value: 'a song' })
    expect(added(client)).toHaveLength(2)
  })

  it('keeps who waits when asked to', async () => {
    const { client } = await open()
    await enterTaken()
    await button(words.keepIt).click()
    await expect.element(button(words.replaceIt)).not.toBeInTheDocument()
    expect(added(client)).toHaveLength(1)
  })

  it('asks no more about a name once another one is typed', async () => {
    const { client } = await open()
    await enterTaken()
    await keyField().fill('tom')
    await expect.element(button(words.replaceIt)).not.toBeInTheDocument()
    await button(words.addQueue).last().click()
    await expect
      .poll(() => added(client).at(-1))
      .toEqual({ kind: 'queueAdd', key: 'tom', value: 'a song', fresh: true })
  })

  it('adds nothing without a name or without what they wait for, and says which', async () => {
    const { client } = await open()
    await button(words.addQueue).first().click()
    await button(words.addQueue).last().click()
    await expect.element(page.getByRole('alert')).toHaveTextContent(words.addMissing.key)
    await keyField().fill('tom')
    await button(words.addQueue).last().click()
    await expect.element(page.getByRole('alert')).toHaveTextContent(words.addMissing.value)
    expect(added(client)).toEqual([])
  })
})
