import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createUndoStack } from './undo-stack.ts'

it('undoes the last step first, each after the one before, and only once', async () => {
  const done: string[] = []
  const stack = createUndoStack(() => undefined)
  for (const name of ['first', 'second', 'third'])
    stack.push(async () => {
      done.push(`${name} begins`)
      await turn()
      done.push(`${name} ends`)
    })
  await Promise.all([stack.close(), stack.close()])
  await stack.close()
  expect(done).toEqual(['third begins', 'third ends', 'second begins', 'second ends', 'first begins', 'first ends'])
})

it('tells of a step that fails, thrown or rejected, and undoes the others', async () => {
  const done: string[] = []
  const failures: unknown[] = []
  const stack = createUndoStack((error) => failures.push(error))
  stack.push(() => done.push('first'))
  stack.push(() => Promise.reject(new Error('rejected')))
  stack.push(() => {
    throw new Error('thrown')
  })
  await stack.close()
  expect(done).toEqual(['first'])
  expect(failures.map(String)).toEqual(['Error: thrown', 'Error: rejected'])
})

it('undoes parts of one step at the same time, between the steps around it', async () => {
  const done: string[] = []
  const failures: unknown[] = []
  const stack = createUndoStack((error) => failures.push(error))
  stack.push(() => done.push('before'))
  const together = stack.together()
  stack.push(() => done.push('after'))
  const opened = Promise.withResolvers<void>()
  together(async () => {
    await opened.promise
    done.push('waited for the other part')
  })
  together(() => opened.resolve())
  together(() => Promise.reject(new Error('one part')))
  await stack.close()
  expect(done).toEqual(['after', 'waited for the other part', 'before'])
  expect(failures).toHaveLength(1)
})
