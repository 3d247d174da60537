// Sixty short passages on six subjects, ten each. Every subject has a thing with two names that never stand
// in the same passage: only the company they keep tells that they mean the same.
#pragma once

#include <array>
#include <string_view>

namespace quarry::embed {

struct Subject {
    std::string_view name{}, other_name{};
    std::array<std::string_view, 10> passages{};
};

inline constexpr std::array<Subject, 6> subjects{{
    {"car",
     "automobile",
     {"the car has a new engine and four worn tyres", "a driver parks the car beside the road",
      "the engine of the car needs oil and a new gearbox",
      "brakes and tyres of a car are checked in the garage",
      "the garage sold a used car with a strong engine", "the automobile has an engine under its bonnet",
      "a driver steers the automobile along the road", "an automobile needs oil brakes and fuel",
      "the garage repairs the gearbox of an automobile", "fuel tyres and road tax make an automobile dear"}},
    {"doctor",
     "physician",
     {"the doctor treats the patient in the hospital", "a nurse helps the doctor with the medicine",
      "the patient asks the doctor about the fever", "a doctor writes a prescription for the illness",
      "the hospital pays each doctor and nurse", "the physician treats the illness of a patient",
      "a physician in the hospital prescribes medicine", "fever and pain bring the patient to a physician",
      "the nurse shows the physician the prescription", "a physician explains the treatment to the patient"}},
    {"ship",
     "vessel",
     {"the ship leaves the harbour with its cargo", "a captain steers the ship across the ocean",
      "the crew of the ship loads the cargo", "waves and storm drive the ship towards the coast",
      "the ship drops anchor off the coast", "the vessel enters the harbour at high tide",
      "a vessel carries cargo over the ocean", "the captain and the crew leave the vessel",
      "in the storm the vessel lost its anchor", "waves broke over the deck of the vessel"}},
    {"film",
     "movie",
     {"the film has a famous actress and a poor script", "a director shows his film at the festival",
      "the audience in the cinema loved the film", "the camera work of the film won a prize",
      "critics praised the actor in the film", "the movie opens in every cinema this week",
      "a director needs a script and an actor for a movie", "the audience left before the end of the movie",
      "the actress of the movie came to the festival", "critics wrote that the movie has fine camera work"}},
    {"wheat",
     "grain",
     {"the farmer sows wheat in the field", "a dry summer ruins the harvest of wheat",
      "the mill grinds wheat into flour", "bread is baked from flour of wheat",
      "the tractor pulls a plough before wheat is sown", "the harvest of grain fills the barn",
      "a farmer brings his grain to the mill", "rain on the field made the grain rot",
      "flour and bread come from grain", "the plough and the tractor prepare the field for grain"}},
    {"judge",
     "magistrate",
     {"the judge hears the witness in court", "a lawyer asks the judge for mercy",
      "the judge sends the thief to prison", "the verdict of the judge surprised the lawyer",
      "evidence is shown to the judge and the jury", "the magistrate opens the trial in court",
      "a witness swears an oath before the magistrate", "the magistrate reads the verdict to the jury",
      "the lawyer gives the magistrate new evidence", "prison was the sentence of the magistrate"}},
}};

}  // namespace quarry::embed
