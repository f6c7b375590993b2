import { expect, it } from 'vitest'
import { PlaceFault } from '../place-fault.ts'
import { connectFirst } from './first-connection.ts'

const late = 'Connection terminated due to connection timeout'
const unreached = 'SIDESTAGE_DATABASE_URL: the database cannot be reached'
const client = { release: () => undefined }

/** Connects to what answers only once a line was logged. */
async function connect(url: string, answer: 'there' | Error, lookup: () => Promise<unknown>) {
  const lines: string[] = []
  const told = Promise.withResolvers<void>()
  const log = {
    info(_about: object, sentence: string) {
      lines.push(sentence)
      told.resolve()
    },
  }
  const answers = async () => {
    await told.promise
    if (answer !== 'there') throw answer
    return client
  }
  const ended = await connectFirst({ connect: answers }, url, log, lookup).catch((error: unknown) => error)
  return { lines, ended }
}
const silent = (): Promise<unknown> => new Promise(() => undefined)
const found = (): Promise<unknown> => Promise.resolve([])

it('tells after a second of a database that does not answer, and goes on when it does', async () => {
  for (const url of ['postgres://me:hidden@db.example.com/one', 'postgres://me:hidden@[::1]:1/one'])
    expect(await connect(url, 'there', found)).toEqual({
      lines: ['SIDESTAGE_DATABASE_URL: the database does not answer yet'],
      ended: undefined,
    })
})

it('tells a resolver that is silent from a database that is', async () => {
  const { lines, ended } = await connect('postgres://me:hidden@db.invalid/one', new Error(late), silent)
  expect(lines).toEqual(['SIDESTAGE_DATABASE_URL: the name of its host is not found yet'])
  expect(ended).toEqual(new PlaceFault(`${unreached}: the name of its host is not found, as no resolver answers`))
  expect((await connect('postgres://me:hidden@10.0.0.1/one', new Error(late), silent)).ended).toEqual(
    new PlaceFault(`${unreached}: ${late}`),
  )
})
