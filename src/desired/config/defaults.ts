/** The variable of the environment with the token, where the configuration names no other place. */
export const tokenVariable = "ZONEWARDEN_API_TOKEN";

/** Where an emulator listens, unless something else is said. */
export const emulatorAddress = "127.0.0.1:8787";
