import { openDataFolder } from './data-stage.ts'

/** Moves the data of an app's folder to another in a process of its own, and says every phase; killed by the test whenever it likes. */
const [home = '', to = ''] = process.argv.slice(2)
const data = await openDataFolder(home, {
  changed: () => process.send?.(data.state().move?.phase ?? 'ended'),
})
await data.resume()
process.send?.('begun')
const { handle } = await data.plan(to)
if (handle === null) throw new Error('the folder cannot be used')
await data.move(handle)
process.send?.('ended')
process.exit(0)
