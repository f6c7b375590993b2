import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import { failureOf, type Failure } from '../../data/failure.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service } from '../../testing/mounted.ts'
import { marker } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { recordingsWords } from './words.ts'
import MarkerDialog from './marker-dialog.vue'

const en = spoken(frameWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')

const { files: words, recording } = recordingsEn

/** The dialog of a marker, with what it tells. */
async function show(
  label = '',
  options: { readonly playable?: boolean; readonly busy?: boolean; readonly failure?: Failure } = {},
) {
  const open = ref(true)
  const shown = ref<ReturnType<typeof marker> | null>(null)
  const told: unknown[] = []
  const part: Component = {
    render: () =>
      h(MarkerDialog, {
        open: open.value && shown.value !== null,
        'onUpdate:open': (next: boolean) => (open.value = next),
        marker: shown.value,
        playable: options.playable ?? true,
        busy: options.busy ?? false,
        failure: options.failure ?? null,
        onPlay: (text: string) => told.push(['play', text]),
        onRename: (text: string) => told.push(['rename', text]),
        onRemove: () => told.push(['remove']),
      }),
  }
  const on = await mounted(part)
  shown.value = marker(1, 60, label)
  await expect.element(page.getByRole('dialog')).toBeVisible()
  return { ...on, open, told }
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = () => page.getByRole('textbox', { name: en.name.label })

describe('the dialog of a marker', () => {
  it('says which moment it is about, and has its name in the focused field', async () => {
    await show('Guest joins')
    await expect
      .element(page.getByRole('dialog', { name: words.markerAt.replace('{time}', '15:00:00') }))
      .toMatchTextContent('2026-11-26')
    await expect.element(field()).toHaveValue('Guest joins')
    await expect.element(field()).toHaveFocus()
  })

  it('renames with Enter, without the space around the name', async () => {
    const { told } = await show('old')
    await field().fill('  First goal ')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([['rename', 'First goal']])
  })

  it('plays from the marker, with the name that was entered', async () => {
    const { told } = await show()
    await field().fill('Intro')
    await button(words.markerPlay).click()
    expect(told).toEqual([['play', 'Intro']])
  })

  it('offers no play where no file has the moment', async () => {
    await show('', { playable: false })
    await expect.element(button(words.markerRemove)).toBeVisible()
    expect(button(words.markerPlay).query()).toBeNull()
  })

  it('removes the marker', async () => {
    const { told } = await show()
    await button(words.markerRemove).click()
    expect(told).toEqual([['remove']])
  })

  it('does nothing twice while something is under way', async () => {
    const { told } = await show('a', { busy: true })
    await button(words.markerRemove).click({ force: true })
    await button(words.markerPlay).click()
    await field().fill('b')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
  })

  it('neither renames nor removes while the service is down', async () => {
    const { told, tell } = await show('a')
    await tell(service('restarting'))
    await expect.element(button(words.markerRemove)).toHaveAttribute('aria-disabled', 'true')
    await expect.element(button(recording.save)).toHaveAttribute('aria-disabled', 'true')
    await button(words.markerRemove).click({ force: true })
    await field().fill('b')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
  })

  it('says why it could not be changed', async () => {
    await show('a', { failure: failureOf(failed({ kind: 'code', code: 501 })) })
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
  })

  it('closes without a change by Escape and by Cancel', async () => {
    const { told, open } = await show('a')
    await field().fill('b')
    await userEvent.keyboard('{Escape}')
    expect(open.value).toBe(false)
    open.value = true
    await button(en.word.cancel).click()
    expect(open.value).toBe(false)
    expect(told).toEqual([])
  })

  it('shows a name that somebody wrote as text', async () => {
    await show('<b>bold</b>')
    await expect.element(field()).toHaveValue('<b>bold</b>')
  })
})
