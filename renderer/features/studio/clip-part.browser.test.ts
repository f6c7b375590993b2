import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { recordingsWords } from '../recordings/words.ts'
import ClipPart from './clip-part.vue'

const { recording: words } = spoken(recordingsWords, 'en')
const one = channel(1, { status: 1 })
const clip = { vid: 7, name: 'show_20260101-200000_20260101-200100', begin: began, duration: 61_000, bytes: 1 }
const show = ({ answers, ...options }: MountOptions = {}) =>
  mounted(ClipPart, {
    props: { channel: one },
    channels: [one],
    ...options,
    answers: { 'recordings.takeClip': () => clip, 'recordings.renameClip': () => undefined, ...answers },
  })
const button = () => page.getByRole('button', { name: new RegExp(`^${words.clip}`) })
const field = () => page.getByRole('textbox', { name: words.clipName })
const press = (init: KeyboardEventInit): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
  document.body.dispatchEvent(event)
  return event
}
const asked = [{ profileId: 'local', cid: one.cid, seconds: 60, name: null }]

describe('a clip of the last minute', () => {
  it('is saved by the button at once, and a name is offered for 10 s', async () => {
    const { client, pass } = await show()
    await button().click()
    await expect.poll(() => client.inputs('recordings.takeClip')).toEqual(asked)
    await expect.element(page.getByRole('status')).toMatchTextContent(clip.name)
    await expect.element(field()).toBeVisible()
    await pass(9_999)
    await expect.element(field()).toBeVisible()
    await pass(1)
    await expect.element(field()).not.toBeInTheDocument()
    await expect.element(page.getByRole('status')).toMatchTextContent(clip.name)
    expect(client.inputs('recordings.renameClip')).toEqual([])
  })

  it('gets the name that is typed, also later than 10 s', async () => {
    const { client, pass } = await show()
    await button().click()
    await field().fill(' Lighthouse horn ')
    await pass(20_000)
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('recordings.renameClip'))
      .toEqual([{ profileId: 'local', vid: 7, name: 'Lighthouse horn' }])
    await expect.element(page.getByRole('status')).toMatchTextContent('Lighthouse horn')
    await expect.element(field()).not.toBeInTheDocument()
  })

  it('is not named by nothing, and keeps its name with Escape', async () => {
    const { client } = await show()
    await button().click()
    await field().fill('   ')
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).not.toBeInTheDocument()
    expect(client.inputs('recordings.renameClip')).toEqual([])
  })

  it('is saved by its key, not in a field and not with Control', async () => {
    const { client } = await show()
    expect(press({ key: 'c', ctrlKey: true }).defaultPrevented).toBe(false)
    expect(press({ key: 'c' }).defaultPrevented).toBe(true)
    await expect.poll(() => client.inputs('recordings.takeClip')).toEqual(asked)
    await field().fill('c')
    expect(client.inputs('recordings.takeClip')).toHaveLength(1)
  })

  it('says why there is none', async () => {
    await show({
      answers: {
        'recordings.takeClip': () => {
          throw failed({ kind: 'code', code: 631 })
        },
      },
    })
    await button().click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(field().query()).toBeNull()
  })

  it('cannot be made while the service is away', async () => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    await expect.poll(() => button().element().getAttribute('aria-disabled')).toBe('true')
    press({ key: 'c' })
    await button().click({ force: true })
    expect(client.inputs('recordings.takeClip')).toEqual([])
  })
})
