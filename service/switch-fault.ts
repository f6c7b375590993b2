/** A switch of the command line names something that cannot be used; the message says which switch and what to do. */
export class SwitchFault extends Error {}

/** A port that may not be opened, as what its switch names. */
export function deniedPort(name: string, port: number, cause?: unknown): SwitchFault {
  const remedy =
    port < 1024
      ? 'ports below 1024 need CAP_NET_BIND_SERVICE (AmbientCapabilities= in a unit of systemd); ' +
        'allow it, or name another port'
      : 'name another port'
  return new SwitchFault(`port ${port} (--${name}-port) may not be opened by this user: ${remedy}`, { cause })
}
