import { expect, it } from 'vitest'
import { findLicences, readLicences } from './licences.ts'

const written = {
  packages: [
    { name: 'vue', version: '3.5.45', licence: 'MIT', text: 0 },
    { name: 'tslib', version: '2.8.1', licence: '0BSD', text: null },
  ],
  texts: ['The MIT License'],
}

it('reads the list with the text of each, and says when it is not there', async () => {
  const asked: string[] = []
  const all = await readLicences((path) => {
    asked.push(path)
    return Promise.resolve(Response.json(written))
  })
  expect(asked).toEqual(['licences.json'])
  expect(all).toEqual([
    { name: 'vue', version: '3.5.45', licence: 'MIT', text: 'The MIT License' },
    { name: 'tslib', version: '2.8.1', licence: '0BSD', text: null },
  ])
  await expect(readLicences(() => Promise.resolve(new Response(null, { status: 404 })))).rejects.toThrow('404')
})

it('finds by name and by licence, in any order and case', () => {
  const all = written.packages.map((one) => ({ ...one, text: null }))
  expect(findLicences(all, '')).toHaveLength(2)
  expect(findLicences(all, 'mit VUE').map(({ name }) => name)).toEqual(['vue'])
  expect(findLicences(all, '0bsd').map(({ name }) => name)).toEqual(['tslib'])
  expect(findLicences(all, 'nothing')).toEqual([])
})
