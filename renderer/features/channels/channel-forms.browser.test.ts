import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { errorTable } from '../../../contract/errors.ts'
import { maxChannelName } from '../../../contract/operations/limits.ts'
import { spoken } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { channel, mounted, service, starting, type MountOptions } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import CreateForm from './create-form.vue'
import RenameForm from './rename-form.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const one = channel(1, { name: 'Before' })
const chatOn = () => ({ on: true, roomid: 7, people: 0 })
const field = () => page.getByRole('textbox')
const alert = () => page.getByRole('alert')
const refused = (code: number) => () => {
  throw failed({ kind: 'code', code })
}
const late = () => {
  throw failed({ kind: 'late' })
}

describe('the form of a new channel', () => {
  const { create: words, name: nameWords } = en
  const show = async (options: MountOptions = {}) => {
    const made: string[][] = []
    const form = { render: () => h(CreateForm, { onCreated: (cid: string, name: string) => made.push([cid, name]) }) }
    const shown = await mounted(form, {
      ...options,
      answers: {
        'channels.create': () => ({ cid: one.cid, recording: 'asIs' }),
        'rooms.switchChat': chatOn,
        ...options.answers,
      },
    })
    return { ...shown, made }
  }
  const submit = () => page.getByRole('button', { name: starting(words.title) })

  it('hands over the id and the name of what was made', async () => {
    const { made } = await show()
    await field().fill('New_show')
    await submit().click()
    await expect.poll(() => made).toEqual([[one.cid, 'New_show']])
    expect(page.getByText(words.notRecordedNext).query()).toBeNull()
  })

  it('hands over the name that was sent, though another one was typed meanwhile', async () => {
    const answer = Promise.withResolvers<{ cid: string; recording: 'asIs' }>()
    const { made } = await show({ answers: { 'channels.create': () => answer.promise } })
    await field().fill('Sent')
    await userEvent.keyboard('{Enter}')
    await field().fill('Typed_later')
    answer.resolve({ cid: one.cid, recording: 'asIs' })
    await expect.poll(() => made).toEqual([[one.cid, 'Sent']])
  })

  it('records every push and lets viewers chat, unless they are switched off', async () => {
    const { client, made } = await show()
    await expect.element(page.getByRole('switch', { name: words.record })).toBeChecked()
    await expect.element(page.getByText('MP4, cut every 60 min, named like the channel.')).toBeVisible()
    await field().fill('Whole_show')
    await submit().click()
    await expect.poll(() => made).toHaveLength(1)
    expect(client.inputs('channels.create')).toEqual([{ profileId: 'local', name: 'Whole_show', record: true }])
    expect(client.inputs('rooms.switchChat')).toEqual([{ profileId: 'local', cid: one.cid, on: true }])
    await page.getByRole('switch', { name: words.record }).click()
    await page.getByRole('switch', { name: words.chat }).click()
    await submit().click()
    await expect.poll(() => made).toHaveLength(2)
    expect(client.inputs('channels.create').at(-1)).toMatchObject({ record: false })
    expect(client.inputs('rooms.switchChat')).toHaveLength(1)
  })

  it('says that chat could not be turned on, and hands the channel over', async () => {
    const { made } = await show({ answers: { 'rooms.switchChat': late } })
    await field().fill('New_show')
    await submit().click()
    await expect.element(page.getByText(words.notChatNext).first()).toBeVisible()
    expect(made).toEqual([[one.cid, 'New_show']])
  })

  it('lets chat off at first where accounts and rooms are of a hosted service', async () => {
    await show({ profile: 'hosted-1' })
    await expect.element(page.getByRole('switch', { name: words.chat })).not.toBeChecked()
    await expect.element(page.getByRole('switch', { name: words.record })).toBeChecked()
  })

  it('says that a channel could not be recorded, and hands it over', async () => {
    const { made } = await show({ answers: { 'channels.create': () => ({ cid: one.cid, recording: 'failed' }) } })
    await field().fill('New_show')
    await submit().click()
    await expect.element(page.getByText(words.notRecorded.replace('{name}', 'New_show')).first()).toBeVisible()
    await expect.element(page.getByText(words.notRecordedNext).first()).toBeVisible()
    expect(made).toHaveLength(1)
  })

  it('is not sent while the service is down, by its button or Enter', async () => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    await field().fill('New_show')
    await expect.element(submit()).toHaveAttribute('title', en.blocker.down)
    await expect.element(submit()).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('channels.create')).toEqual([])
  })

  it.each([
    [maxChannelName, true],
    [maxChannelName + 1, false],
  ])('takes a name of %s characters: %s', async (length, isTaken) => {
    const { client } = await show()
    await field().fill('a'.repeat(length))
    await userEvent.keyboard('{Enter}')
    const tooLong = page.getByText(nameWords.long.replace('{max}', String(maxChannelName)))
    if (isTaken) await expect.poll(() => client.inputs('channels.create')).toHaveLength(1)
    else await expect.element(tooLong).toBeVisible()
    expect(client.inputs('channels.create')).toHaveLength(isTaken ? 1 : 0)
  })

  it('counts the characters of the name as the service does', async () => {
    await show()
    await field().fill('\u{20000}深夜')
    const count = nameWords.count.replace('{n}', '3').replace('{max}', String(maxChannelName))
    await expect.element(page.getByText(count)).toBeVisible()
  })

  it('names a space that a name may not have by its word', async () => {
    await show()
    await field().fill('two words')
    await expect.element(page.getByText(nameWords.characters.replace('{what}', nameWords.space))).toBeVisible()
  })

  it.each([
    ['en', en, ' '],
    ['zh', zh, ''],
  ] as const)(
    'says at the name why the service refused it, until it is changed, in %s',
    async (language, words, gap) => {
      await show({ language, answers: { 'channels.create': refused(611) } })
      await field().fill('Taken')
      await userEvent.keyboard('{Enter}')
      const { sentence, next } = errorTable[611]
      const said = page.getByText(`${sentence[language]}${gap}${next[language]}`)
      await expect.element(said).toBeVisible()
      // The fault stands at the name alone.
      expect(page.getByRole('button', { name: words.word.details }).query()).toBeNull()
      await field().fill('Taken_2')
      await expect.element(said).not.toBeInTheDocument()
    },
  )

  it('says below the name what else went wrong, until the name is changed', async () => {
    await show({ answers: { 'channels.create': late } })
    await field().fill('New_show')
    await userEvent.keyboard('{Enter}')
    await expect.element(alert()).toMatchTextContent(en.failure.late.sentence)
    await expect.element(field()).not.toHaveAttribute('aria-invalid', 'true')
    await field().fill('New_show_2')
    await expect.element(alert()).not.toBeInTheDocument()
  })

  it('is sent once while it is under way', async () => {
    const answer = Promise.withResolvers<{ cid: string; recording: 'asIs' }>()
    const { client, made } = await show({ answers: { 'channels.create': () => answer.promise } })
    await field().fill('New_show')
    await userEvent.keyboard('{Enter}{Enter}')
    answer.resolve({ cid: one.cid, recording: 'asIs' })
    await expect.poll(() => made).toHaveLength(1)
    expect(client.inputs('channels.create')).toHaveLength(1)
  })
})

describe('the form of another name', () => {
  const show = async (options: MountOptions = {}) => {
    const told: string[] = []
    const props = {
      cid: one.cid,
      before: one.name,
      onDone: () => told.push('done'),
      onCancel: () => told.push('cancel'),
    }
    const shown = await mounted(RenameForm, {
      channels: [one],
      props,
      ...options,
      answers: { 'channels.rename': () => undefined, ...options.answers },
    })
    return { ...shown, told }
  }
  const submit = () => page.getByRole('button', { name: en.word.renameNow, exact: true })

  it('ends with the new name, with Enter as well', async () => {
    const { client, told } = await show()
    await field().fill('After')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => told).toEqual(['done'])
    expect(client.inputs('channels.rename')).toEqual([{ profileId: 'local', cid: one.cid, name: 'After' }])
  })

  it('ends without a call where the name is as it was', async () => {
    const { client, told } = await show()
    await submit().click()
    expect([told, client.inputs('channels.rename')]).toEqual([['done'], []])
  })

  it('says at once that a name is needed, and sends none', async () => {
    const { client, told } = await show()
    await field().fill('')
    await expect.element(page.getByText(en.name.empty)).toBeVisible()
    await submit().click()
    expect([told, client.inputs('channels.rename')]).toEqual([[], []])
  })

  it('is left by its button without a call', async () => {
    const { client, told } = await show()
    await field().fill('After')
    await page.getByRole('button', { name: en.word.cancel }).click()
    expect([told, client.inputs('channels.rename')]).toEqual([['cancel'], []])
  })

  it('stays where it was refused, and says at the name that it is about the name', async () => {
    const { told } = await show({ answers: { 'channels.rename': refused(611) } })
    await field().fill('Taken')
    await submit().click()
    const { sentence, next } = errorTable[611]
    await expect.element(page.getByText(`${sentence.en} ${next.en}`)).toBeVisible()
    await expect.element(field()).toHaveAttribute('aria-invalid', 'true')
    expect(told).toEqual([])
  })

  it('says below the name what else went wrong, until the name is changed', async () => {
    const { told } = await show({ answers: { 'channels.rename': late } })
    await field().fill('After')
    await submit().click()
    await expect.element(alert()).toMatchTextContent(en.failure.late.sentence)
    await field().fill('After_2')
    await expect.element(alert()).not.toBeInTheDocument()
    expect(told).toEqual([])
  })
})
