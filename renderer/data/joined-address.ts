/** Id in the address of a joined room's page; null for the app's own page. */
export const joinedOf = (search: string): string | null => /^\?joined=([0-9a-f]{16})$/.exec(search)?.[1] ?? null

/** Address of a joined room's page. */
export const joinedAddress = (id: string): string => `/?joined=${id}`

/** The companion relays the media of a joined room. */
export const mediaPaths = <T extends Readonly<Record<string, string | null>>>(
  paths: T,
  search: string,
): { [K in keyof T]: string | null } => {
  const joined = joinedOf(search)
  const all = Object.entries(paths).map(([name, path]) => [
    name,
    path === null || joined === null ? path : `/joined/${joined}${path}`,
  ])
  return Object.fromEntries(all) as { [K in keyof T]: string | null }
}
