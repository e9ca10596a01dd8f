#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/anatomy/bone_shape.h"
#include "pneuma/core/error.h"
#include "pneuma/core/types.h"

/// The description of a body: what a body file says, by name, in SI units.
///
/// A body is read as declared (readBody), expanded (expandBody: mirror and series rules applied),
/// fitted to a person (fitToPerson) and compiled for one articulation (compileBody). Everything is
/// stated in the body frame at rest: +Y up, +Z front, +X left, floor at y = 0.
namespace pneuma::anatomy {

/// Where an entry stands in its file. `file` is shared by all entries of a file.
struct Origin {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;

  SourcePosition position() const { return {file ? *file : std::string(), line, column}; }
};

/// What every described thing has: its place, the places of its fields, and the fields that this
/// version does not know (kept as TOML text and written back).
struct Described {
  Origin where;
  std::map<std::string, Origin> fieldOrigins;
  std::map<std::string, std::string> unknownFields;
};

/// A point of the body, tied to a bone. Exactly one of `position` and `at` is given:
///   position          in the body frame (a bare [x, y, z] in the file), carried by `bone`
///   at                a named point "bone:point", or a place on a named curve "bone:curve@0.35"
///   towards, fraction moves from `at` to a second named point by that fraction
/// and `offset` is added. `bone` may name another bone than that of `at` as the carrier.
struct PointRef : Described {
  std::string bone;
  std::optional<Vec3> position;
  std::string at;
  std::string towards;
  double fraction = 0;
  Vec3 offset = Vec3::Zero();
  bool soft = false;  ///< in soft tissue (linea alba, central tendon): carried by, not on, the bone
};

/// A direction: `vector`, or from one point to another.
struct AxisRef : Described {
  std::optional<Vec3> vector;
  std::optional<PointRef> from, to;
  bool reverse = false;  ///< turns the other way round (a mirrored rotation does)
};

/// Repeats an entry: one copy for each value of the variables, which run side by side. In names
/// and references `{level}` stands for the value, `{level+1}` for the next level below.
struct SeriesVariable {
  std::string name;
  std::vector<std::string> values;  ///< text, put in place of {name}
  std::vector<double> numbers;      ///< or numbers, which set the field `name` [SI]
};
struct Repeated : Described {
  bool mirror = false;  ///< write the right side (_r) from this left one (_l)
  std::vector<SeriesVariable> series;
};

/// What counts as a bone.
enum class BoneKind {
  Bone,       ///< one bone, or a piece of the bone named in partOf
  Cartilage,  ///< moves like a bone, not counted as one
  Set         ///< several small bones as a whole (hand, foot), not counted
};
enum class BodyRegion { Head, Neck, Thorax, Abdomen, Pelvis, Arm, Leg };

/// A bone, cartilage or set of small bones, at rest in the body frame.
struct Bone : Repeated {
  std::string name;
  BoneKind kind = BoneKind::Bone;
  BodyRegion region = BodyRegion::Thorax;
  std::string partOf;   ///< the whole bone this one is a piece of ("sternum")
  std::string mesh;     ///< file of an imported surface, instead of a shape
  double fatShare = 1;  ///< how readily what moves with it takes up fat, 1 = average
};

/// Named points and curves of a bone.
struct Landmarks : Repeated {
  std::string bone;
  std::map<std::string, PointRef> points;
  std::map<std::string, std::vector<Vec3>> curves;
};

/// The generated geometry of a bone; the same form serves pieces of skin and muscles, by name.
struct Shape : Repeated {
  std::string bone;
  BoneShape shape;
};

/// The tissue that moves with a bone, as measured on the subject.
struct Segment : Repeated {
  std::string bone;
  double mass = 0;              ///< [kg], > 0
  Vec3 center = Vec3::Zero();   ///< centre of mass [m]
  std::vector<double> inertia;  ///< xx yy zz xy xz yz about the centre [kg m^2]
};

/// The sections of Lee's Table 1, and the legs.
enum class MuscleRegion { HeadNeck, Trunk, Arm, Leg };

/// A line muscle: one actuator along a polyline from origin over via points to insertion.
struct Muscle : Repeated {
  std::string name;
  std::string set;     ///< which collection it belongs to ("lee2009", "breathing", "nedel2000")
  std::string muscle;  ///< the anatomical muscle this line is a part of
  std::string group;   ///< row of the source's table, for counting
  MuscleRegion region = MuscleRegion::Trunk;
  std::vector<PointRef> points;       ///< origin first, insertion last, at least two
  double pcsa = 0;                    ///< physiological cross-section area [m^2], >= 0
  double tension = 3.0e5;             ///< peak force over cross-section area [Pa], > 0
  std::optional<double> peakForce;    ///< along the fibres [N]; default: area times tension
  double slack = 1;                   ///< slack length / rest length of the path [-], > 0
  std::optional<double> fiberLength;  ///< optimal fibre length [m]
  double restFiber = 1;               ///< fibre length in the rest pose / optimal one [-], > 0
  double pennation = 0;               ///< fibre angle at the optimal length [rad]
  double tendonOrigin = 0;            ///< tendon at the origin end / path length [-]
  double tendonInsertion = 0;         ///< tendon at the insertion end / path length [-]
  std::optional<double> volume;       ///< belly volume [m^3]
  std::vector<double> profile;        ///< radii of the belly, evenly spaced along it [m]
  std::string belly;                  ///< name of the fusiform part this line carries, or none
  std::string source;                 ///< of peak force or tension, fibre length and pennation
};

/// Whether a muscle belongs to a set, named "set", or to one region of it, "set:region".
bool belongsTo(const Muscle& muscle, std::string_view set);

/// A region of a belly tied to a bone or to another belly. [Nedel00, Sec. 4.3]
struct BellyZone : Described {
  std::string to;              ///< bone or belly
  double from = 0, until = 1;  ///< along the belly
  double direction = 0;  ///< of its middle around the line, from the side nearest to `to` [rad]
  double width = 1.5;    ///< of the region around the line [rad]
};

/// A cross-section of a belly at rest: an ellipse across the line, in the body frame.
struct BellySection : Described {
  Vec3 center = Vec3::Zero();  ///< from the action line [m]
  Vec3 wide = Vec3::Zero();    ///< the longer half-axis [m]
  double thick = 0;            ///< the other one [m], > 0
};

/// A fusiform part and its deformation parameters (Nedel's "mms" data).
struct Belly : Repeated {
  std::string name;
  int slices = 10;  ///< across the action line
  int pointsPerSlice = 8;
  // Only the ratios count: they are scaled to the belly's mass. These keep the volume best.
  double elasticityHorizontal = 2;     ///< linear springs around the line [-]
  double elasticityVertical = 4;       ///< linear springs along the line [-]
  double curvatureHorizontal = 4;      ///< angular springs around the line [-]
  double curvatureVertical = 16;       ///< angular springs along the line [-]
  double mass = 0;                     ///< [kg]; 0: from the volume
  double damping = 0.5;                ///< relative to a rate that suits all bellies at 0.5 [-]
  double rotation = 0;                 ///< of the shape about its action line [rad]
  std::vector<std::string> muscles;    ///< real muscles that the part stands for
  std::vector<BellySection> sections;  ///< of its shape, in the middle of equal parts of its length
  std::vector<BellyZone> zones;        ///< regions tied to bones or other bellies
};

/// A hollow or filled space of the trunk: thoracic, abdominal; with what is known of its shape.
struct Cavity : Described {
  std::string name;
  double volume = 0;                       ///< [m^3], of the subject
  double tissueVolume = 0;                 ///< of which solid organs [m^3]
  std::map<std::string, PointRef> points;  ///< dome tops, crus, margins
  std::vector<Vec3> sections;              ///< (height, width, depth) [m], lowest first
};

/// A surface as distances from an axis or a point: a row of all azimuths for each height above the
/// floor (distances from the vertical axis through `center`) or for each elevation (distances from
/// `center` itself). The left half of a symmetric surface.
struct RadialTable : Described {
  Vec3 center = Vec3::Zero();
  std::vector<double> heights;     ///< [m], ascending; or:
  std::vector<double> elevations;  ///< [rad], ascending
  std::vector<double> azimuths;    ///< 0 front .. pi back [rad], ascending
  std::vector<double> radii;       ///< row by row [m]

  bool empty() const { return radii.empty(); }
  bool byElevation() const { return !elevations.empty(); }
  const std::vector<double>& parameters() const { return byElevation() ? elevations : heights; }
  /// Bilinear; clamped at the borders of the table.
  double radius(double parameter, double azimuth) const;
};

/// What breathing needs to know of the trunk beyond the landmarks of its bones.
struct Trunk : Described {
  std::vector<double> ribRadii;  ///< mean radius of the cross-sections of ribs 1 to 12 [m]
  RadialTable diaphragm;         ///< its mid-surface, by elevation
  RadialTable wall;              ///< middle of the muscles of the belly, by height
  RadialTable outline;           ///< outer skin without arms, by height

  bool empty() const { return diaphragm.empty(); }
};

/// Tissue that a skin contour may see: the bones and bellies around one stretch of the body.
/// [Nedel00, Sec. 5] A contour sees its own groups and the root group.
struct SkinGroup : Repeated {
  std::string name;
  bool root = false;                 ///< seen by every contour
  std::vector<std::string> bones;    ///< may be in several groups
  std::vector<std::string> bellies;  ///< may be in several groups
};

/// What a piece of skin is, by how it joins the others.
enum class SkinPieceKind {
  TorsoFront,  ///< the half of the trunk's tube in front
  TorsoBack,   ///< and behind
  Hip,         ///< where the trunk's tube parts into the legs
  Arm,         ///< a tube from an opening in the side of the trunk
  Leg          ///< a tube from the hip
};

/// Where a limb or an extremity starts to move with the next link.
struct SkinTurn : Described {
  std::string link;
  PointRef center;
  AxisRef direction;    ///< from the part before to this one
  double width = 0.03;  ///< over which one passes into the other [m]
};

/// One of the seven pieces of the envelope. [Nedel00, Sec. 5]
struct SkinPiece : Repeated {
  std::string name;
  SkinPieceKind kind = SkinPieceKind::Arm;
  int columns = 24;  ///< trunk pieces: rays of the half; leg: rays across the crotch
  std::vector<std::string> opening;  ///< arm: trunk contours below and above its opening
  int openingWidth = 8;              ///< arm: columns of the trunk that it takes
  /// Where the limb's root starts to move with the next link, whatever contour a point belongs to.
  std::vector<SkinTurn> turns;
};

/// A cross-section of the envelope: rays in a star from its centre, on a plane. [Nedel00, Fig. 14]
/// Contours of a piece follow one another in the order of the file; `between` more are put between
/// one and the next.
struct SkinContour : Repeated {
  std::string name;
  std::vector<std::string> pieces;  ///< one, or both halves of the trunk
  PointRef center;                  ///< where the rays start
  AxisRef normal;                   ///< of the plane, towards the next contour
  std::vector<std::string> groups;  ///< what the rays can hit, besides the root group
  std::vector<std::string> links;   ///< that carry it
  std::vector<double> shares;       ///< of these links, sum 1
  double twist = 1;                 ///< part of the last link's turn about its own length
  int between = 0;                  ///< contours between this one and the next
  double aspect = 1;                ///< width over depth of the star of rays
  double tight = 0.3;               ///< between links: 0 round as an arc, 1 straight as a chord
  double follow = 1;                ///< how much of the tissue's change of radius the skin shows
};

/// Head, hand or foot: a piece of the person's own skin, cut by a plane and joined to the envelope
/// at its rim, with which it moves up to the first turn. [Nedel00, Sec. 6.1]
struct SkinExtremity : Repeated {
  std::string name;
  std::string piece;  ///< whose last contour it closes
  PointRef center;    ///< of the cut
  AxisRef normal;     ///< towards the extremity
  std::vector<SkinTurn> turns;
};

/// A state of a deformable primitive.
struct SkinPrimitiveState : Described {
  Vec3 shift = Vec3::Zero();  ///< of the centre [m]
  Vec3 scale = Vec3::Ones();  ///< of the half axes
};

/// An ellipsoid that fills what bones and bellies leave out. [Nedel00, Sec. 6.1]
struct SkinPrimitive : Repeated {
  std::string name;
  std::vector<std::string> groups;
  PointRef center;                    ///< carried by its bone
  Vec3 radii = Vec3::Constant(0.03);  ///< half axes [m]
  Vec3 rotation = Vec3::Zero();       ///< rotation vector [rad]
  bool blend = true;                  ///< melts with the blending ones of its groups
  bool female = false;                ///< women only
  std::string joint;                  ///< "hip_l.flexion": deforms with this freedom, or none
  SkinPrimitiveState lowest;          ///< at the freedom's lower limit
  SkinPrimitiveState highest;         ///< and at its upper one; at rest it is as described
};

/// A joint whose skin folds: neither side passes the plane half-way between both links.
struct SkinFold : Repeated {
  std::string name;
  std::string link;    ///< below the joint
  PointRef tip;        ///< the other end of the link
  PointRef root;       ///< the other end of its parent
  double gap = 0.001;  ///< left between both sides [m]
};

/// Rotation [rad] or translation [m].
enum class DofKind { Rotation, Translation };

/// Allowed values of a degree of freedom [rad] or [m], zero being the rest pose.
struct Range {
  double lower = 0, upper = 0;
};

/// One degree of freedom. A rotation is positive in the sense of its anatomical name.
struct Dof : Described {
  std::string name;  ///< "flexion"; the full name is joint.name + "." + name
  DofKind kind = DofKind::Rotation;
  AxisRef axis;
  std::optional<Range> range;  ///< limits [rad] or [m]; absent: free
  double stiffness = 0;        ///< passive spring towards rest [N m/rad] or [N/m]
  double damping = 0;          ///< [N m s/rad] or [N s/m]
};

/// How the degrees of freedom of a joint compose.
enum class JointType {
  Fixed,
  Sequence,  ///< the degrees of freedom one after the other, parent side first
  Ball,      ///< three rotations without order (quaternion); the dofs give axes and limits
  Free       ///< six: three translations and a ball
};

/// How a link is joined to its parent.
struct Joint : Described {
  std::string name;  ///< default: that of its link
  JointType type = JointType::Sequence;
  PointRef center;
  std::vector<Dof> dofs;
  bool passive = false;  ///< moved by its neighbours only, not by muscles [Lee09, Sec. 3.2]
};

/// Which part of an articulation a link counts for.
enum class LinkRegion { HeadNeckTrunk, Arm, Leg };

/// A rigid body: bones that move together, and the joint to its parent.
struct Link : Repeated {
  std::string name;
  std::vector<std::string> bones;
  std::string parent;                             ///< empty for the root
  LinkRegion region = LinkRegion::HeadNeckTrunk;  ///< where its freedoms are counted
  Joint joint;
};

/// A spring between two points of different links, e.g. rib end to cartilage.
struct Spring : Repeated {
  std::string name;
  PointRef a, b;
  double stiffness = 0;  ///< [N/m]
  double damping = 0;    ///< [N s/m]
};

/// A freedom that takes its part of an angle.
struct RhythmPart : Described {
  std::string freedom;  ///< "clavicle_l.elevation"
  double part = 0;      ///< of the angle
  double forward = 0;   ///< of a glide: added to `part` as far as the limb points forwards
};

/// Joints that people move together: the rhythm's name is what a pose may state. "spine.flexion"
/// stands for the vertebrae together, which share it by their parts (sum 1).
struct Rhythm : Repeated {
  std::string name;
  std::vector<RhythmPart> parts;
};

/// A bone that slides over others without a joint between them: the shoulder blade on the ribs. As
/// the limb that hangs on it is raised, freedoms move along; of these, points of the bone keep the
/// distance they have at rest from the surface that the centrelines of the others span. A habit of
/// posing; the joints stay free.
struct Glide : Repeated {
  std::string name;
  std::string limb;               ///< bone that hangs on the gliding one: "humerus_l"
  PointRef end;                   ///< of the limb, far from its joint
  double after = 0;               ///< elevation of the limb from which freedoms move [rad]
  std::vector<RhythmPart> parts;  ///< of the elevation beyond it
  std::vector<PointRef> points;   ///< that keep their distance
  std::vector<std::string> over;  ///< bones with a curve "centreline"
  std::string on;                 ///< bone that carries the surface: "vertebra_t05"
};

/// How a paper counts its bones.
enum class BoneCount { Bones, Bodies };

/// Which bones move together and how: one choice of links over the bones.
struct Articulation : Described {
  std::string name;
  std::string description;
  std::string source;                    ///< key in docs/references.bib
  std::string basedOn;                   ///< articulation whose links and springs this one changes
  std::vector<std::string> with;         ///< further links, "articulation:region" each
  BoneCount countAs = BoneCount::Bones;  ///< what "bones" means in this paper
  std::vector<std::string> muscles;      ///< sets that drive it, "set" or "set:region" each
  std::vector<std::string> omit;         ///< links of basedOn left out
  std::vector<Link> links;
  std::vector<Spring> springs;
  std::vector<Rhythm> rhythms;
  std::vector<Glide> glides;
};

/// A way to hold the body: joint settings, and how the whole is turned. Its lowest point lies on
/// the floor. Freedoms that an articulation does not have are passed over, so one posture serves
/// every articulation; a name without side ("hip.flexion") means both sides.
struct Posture : Described {
  std::string name;
  std::string description;
  std::string source;                    ///< where the angles come from, or "chosen"
  std::vector<std::string> aliases;      ///< other names for it
  Vec3 turned = Vec3::Zero();            ///< rotation vector of the root from standing [rad]
  std::map<std::string, double> joints;  ///< angle of each freedom that it states [rad]
};

/// Default proportions and lung volumes follow it.
enum class Sex { Male, Female };

/// A freedom and the part of a swept angle that it takes, or a fixed angle.
struct StrengthPose : Described {
  std::string freedom;  ///< "forearm_l.pronation"
  double part = 0;      ///< of the swept angle [-]
  double angle = 0;     ///< added to it [rad]
};

/// What people reach in an action, as a source gives it.
struct StrengthBand : Described {
  Sex sex = Sex::Male;
  double youngest = 18, oldest = 50;  ///< ages it holds for [years]
  double mean = 0;                    ///< [N m], or [N m/kg] with perMass
  double deviation = 0;               ///< standard deviation, same unit; 0: unknown
  bool perMass = false;               ///< given per kilogram of body mass
  int count = 0;                      ///< people measured; 0: unknown
  std::optional<double> at;           ///< angle it was measured at [rad]; none: the largest torque
  std::optional<Range> peakAngle;     ///< where the source finds the largest torque [rad]
  bool seen = false;                  ///< read in the source, else recalled
  std::string source;
};

/// A way to measure strength as a dynamometer does: one freedom pushes with all its agonists while
/// the pose is held.
struct StrengthTest : Described {
  std::string name;          ///< "elbow flexion"
  std::string articulation;  ///< in which it is measured
  std::string freedom;       ///< about whose axis the torque acts: "elbow_l.flexion"
  bool reverse = false;      ///< against the positive sense of the freedom
  /// The joint's other freedoms carry no torque: only muscles hold them, no straps.
  bool balanced = false;
  Range angles;  ///< swept [rad], positive in the sense of the freedom
  /// Freedoms that share the swept angle or are held; none: the tested freedom takes it.
  std::vector<StrengthPose> pose;
  std::vector<StrengthBand> people;
};

/// Who the body is. `Ratios` are Nedel's five skeleton parameters [Nedel00, Sec. 6.2], the global
/// scale being the height. Ratios left empty follow from the sex.
struct Person : Described {
  Sex sex = Sex::Male;
  double height = 1.75;                    ///< [m]
  double mass = 73;                        ///< [kg]
  double age = 30;                         ///< [years]
  std::optional<double> spineRatio;        ///< spine origin height / total height, relative
  std::optional<double> highLateralScale;  ///< width above the spine origin, relative
  std::optional<double> lowLateralScale;   ///< width below it, relative
  std::optional<double> frontalScale;      ///< depth, relative
  std::optional<double> restingLung;       ///< gas at rest (FRC) where it was measured [m^3]
};

/// A whole body as described.
struct Body : Described {
  std::string name;
  std::string description;
  Person subject;  ///< whom the numbers were measured on
  Person person;   ///< whom to build unless told otherwise
  std::vector<Bone> bones;
  std::vector<Landmarks> landmarks;
  std::vector<Shape> shapes;
  std::vector<Segment> segments;
  std::vector<Muscle> muscles;
  std::vector<Belly> bellies;
  std::vector<Cavity> cavities;
  Trunk trunk;
  std::vector<Shape> skinEnvelope;  ///< pieces of the measured skin: skin_trunk, skin_arm_l...
  std::vector<Shape> muscleSolids;  ///< volumes of muscles by their names
  std::vector<SkinGroup> skinGroups;
  std::vector<SkinPiece> skinPieces;
  std::vector<SkinContour> skinContours;
  std::vector<SkinExtremity> skinExtremities;
  std::vector<SkinPrimitive> skinPrimitives;
  std::vector<SkinFold> skinFolds;
  std::vector<Articulation> articulations;
  std::vector<Posture> postures;
  std::vector<StrengthTest> strengthTests;
};

}  // namespace pneuma::anatomy
