import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { mounted } from '../../testing/mounted.ts'
import JoinedTroubleNote from './joined-trouble-note.vue'
import { spoken } from '../../format/languages.ts'
import { joiningWords } from './words.ts'

const joiningEn = spoken(joiningWords, 'en')
const joiningZh = spoken(joiningWords, 'zh')

type What = keyof typeof joiningEn.joining.trouble
const words = { en: joiningEn.joining, zh: joiningZh.joining }

it.each(
  (Object.keys(words.en.trouble) as What[]).flatMap((what) =>
    (['en', 'zh'] as const).map((language) => [what, language] as const),
  ),
)('says why a room of another computer is not shown, and what to do: %s, in %s', async (what, language) => {
  await mounted(JoinedTroubleNote, { props: { what, wait: 0 }, language })
  const note = page.getByRole('alert')
  await expect.element(note).toMatchTextContent(words[language].trouble[what].title)
  await expect.element(note).toMatchTextContent(words[language].trouble[what].text)
  expect(page.getByRole('timer').query()).toBeNull()
})

it.each(['en', 'zh'] as const)('says in %s how long to wait', async (language) => {
  await mounted(JoinedTroubleNote, { props: { what: 'refused', wait: 12 }, language })
  await expect.element(page.getByRole('timer')).toMatchTextContent(words[language].wait.replace('{n}', '12'))
})
