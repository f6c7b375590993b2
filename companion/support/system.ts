import os from 'node:os'

/** Facts of the computer for support, without names. */
export type SystemFacts = Readonly<ReturnType<typeof readSystem>>

const told = ['electron', 'chrome', 'node', 'v8', 'openssl', 'sqlite'] as const

/** Reads them now. */
export const readSystem = () => ({
  home: os.homedir(),
  platform: process.platform,
  release: os.release(),
  architecture: process.arch,
  processors: os.availableParallelism(),
  memory: { total: os.totalmem(), free: os.freemem() },
  versions: Object.fromEntries(
    told.flatMap((name): [string, string][] => {
      const version = process.versions[name]
      return version === undefined ? [] : [[name, version]]
    }),
  ),
  running: Math.round(process.uptime()),
})
