import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { frameWords } from '../features/frame/words.ts'
import { spoken } from '../format/languages.ts'
import { failed } from '../testing/memory-client.ts'
import { mounted, type MountOptions } from '../testing/mounted.ts'
import LinkDialog from './link-dialog.vue'
import LinkedText from './linked-text.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')
/** Its host is encoded, and mixes scripts. */
const doubtful = 'https://exаmple.com/a'

async function show(text: string, options: MountOptions = {}) {
  const pressed: string[] = []
  const on = await mounted(
    {
      render: () => [
        h('p', { 'data-text': '', onClick: () => pressed.push('line') }, [h(LinkedText, { text })]),
        h(LinkDialog),
      ],
    },
    { about: { shell: 'electron' }, ...options },
  )
  return { ...on, pressed }
}
const link = (text: string) => page.getByRole('button', { name: text, exact: true })
const dialog = () => page.getByRole('dialog')

describe('an address in a text', () => {
  it('is shown as it was written, from left to right, and a press on it is none on its line', async () => {
    const { pressed } = await show('see HTTP://A.example/b, and c')
    await expect.poll(() => document.querySelector('[data-text]')?.textContent).toBe('see HTTP://A.example/b, and c')
    await expect.element(link('HTTP://A.example/b')).toHaveAttribute('dir', 'ltr')
    await link('HTTP://A.example/b').click()
    expect(pressed).toEqual([])
    await expect.element(dialog()).toMatchTextContent('http://a.example/b')
  })

  it('is asked about without a warning where there is nothing to warn of', async () => {
    await show('https://a.example/')
    await link('https://a.example/').click()
    await expect.element(dialog()).toMatchTextContent(en.link.body.replace('{host}', 'a.example'))
    expect(dialog().element().querySelector('.text-armt')).toBeNull()
  })

  it.each([
    ['en', `${en.link.encoded} ${en.link.mixed}`],
    ['zh', `${zh.link.encoded}${zh.link.mixed}`],
  ] as const)('has all its warnings, in %s', async (language, warnings) => {
    await show(doubtful, { language })
    await link(doubtful).click()
    await expect.element(dialog()).toMatchTextContent(warnings)
  })

  it('that is a number warns that it may be a device nearby', async () => {
    await show('http://192.168.0.1/')
    await link('http://192.168.0.1/').click()
    await expect.element(dialog()).toMatchTextContent(en.link.number)
  })

  it('that was not opened stays asked about, with the reason', async () => {
    const { client } = await show('https://a.example/', {
      answers: {
        'app.openLink': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await link('https://a.example/').click()
    await dialog().getByRole('button', { name: en.link.open }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    client.answer({ 'app.openLink': () => undefined })
    await dialog().getByRole('button', { name: en.link.open }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('app.openLink')).toHaveLength(2)
  })

  it('is left with Escape', async () => {
    const { client } = await show('https://a.example/')
    await link('https://a.example/').click()
    await expect.element(dialog()).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('app.openLink')).toEqual([])
  })
})
