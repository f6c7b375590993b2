import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { began, mounted, withProps } from '../../testing/mounted.ts'
import { sheetAnswers } from '../../testing/share-values.ts'
import ShareSheet from './share-sheet.vue'
import { shareWords } from './words.ts'

const { next: words } = spoken(shareWords, 'en').share
const cid = 'c'.repeat(32)

it('a broadcast that is announced no more keeps its title, which is that of the next one', async () => {
  const next = began + 86_400_000
  const { client } = await mounted(
    withProps(ShareSheet, { open: true, on: { profileId: 'local', cid }, name: 'Night Radio' }),
    {
      answers: {
        ...sheetAnswers(),
        'operations.access.schedule': () => ({ ret: { next, title: 'Requests' } }),
        'operations.access.setSchedule': () => ({}),
      },
    },
  )
  await expect.element(page.getByLabelText(words.name, { exact: true })).toHaveValue('Requests')
  await page.getByRole('button', { name: words.clear }).click()
  await expect
    .poll(() => client.inputs('operations.access.setSchedule').map(({ call }) => call))
    .toEqual([{ cid, title: 'Requests' }])
})
